"""Calls of reductions of the elements that are not NaN."""

import numpy as np

from .numpy_calls import Call, of, varying

NAN = np.nan
X = varying(3, 4)
CUBE = varying(2, 3, 4)
INTEGERS = of([[3, -1, 2], [0, 5, -4]], np.int32)
COMPLEX = of([[1 + 2j, 3 - 1j, 1.2 + 0.5j], [0.5j, -2 + 1j, 2 + 2j]])
COMPLEX_NAN = of([[1 + 2j, complex(NAN, 1), 1.2 + 0.5j], [0.5j, -2 + 1j, complex(0, NAN)]])
WITH_NAN = of([[1.0, NAN, 2.0, 5.0], [0.5, 3.0, -1.0, 4.0], [NAN, 0.7, 0.1, NAN]])
SINGLE = of([1.5, NAN, -3.0], np.float32)
MASK = [[True, False, True, True], [False, True, True, False], [True, True, False, False]]

SUMS = ("nansum", "nanprod", "nanmean", "nanvar", "nanstd")
EXTREMA = ("nanmax", "nanmin")
POSITIONS = ("nanargmax", "nanargmin")
SCANS = ("nancumsum", "nancumprod")

CALLS = [
    Call(name, CUBE, axis=axis, keepdims=keepdims)
    for name in (*SUMS, *EXTREMA)
    for axis in (1, -1, (0, -1), None)
    for keepdims in (False, True)
]
CALLS += [
    Call(name, WITH_NAN, axis=axis, gradient=False)
    for name in (*SUMS, *EXTREMA, *POSITIONS, *SCANS)
    for axis in (None, 0, -1)
]
CALLS += [Call(name, INTEGERS, axis=axis) for name in (*SUMS, *EXTREMA, *POSITIONS, *SCANS) for axis in (None, 0)]
CALLS += [Call(name, COMPLEX, axis=1) for name in (*SUMS, *SCANS)]
CALLS += [Call(name, COMPLEX_NAN, axis=1, gradient=False) for name in (*SUMS, *SCANS, *EXTREMA)]
CALLS += [Call(name, SINGLE, gradient=False) for name in (*SUMS, *EXTREMA, *POSITIONS, *SCANS)]
CALLS += [Call(name, X, axis=1, where=MASK) for name in SUMS]
CALLS += [Call(name, X, axis=1, where=MASK, initial=0.9) for name in (*EXTREMA, "nansum", "nanprod")]
CALLS += [Call(name, WITH_NAN, axis=1, ddof=1, keepdims=True, gradient=False) for name in ("nanvar", "nanstd")]
CALLS += [Call(name, X, axis=1, correction=1) for name in ("nanvar", "nanstd")]
CALLS += [Call(name, X, axis=1, mean=varying(3, 1)) for name in ("nanvar", "nanstd")]
CALLS += [Call(name, X, 1, dtype=np.float32, gradient=False) for name in SUMS]
CALLS += [Call(name, X, axis=axis) for name in SCANS for axis in (None, 0, -1)]
CALLS += [Call(name, X, axis=1, keepdims=True) for name in POSITIONS]
