"""Calls of reductions."""

import numpy as np
import wengert as wg

from .numpy_calls import Call, of, varying

X = varying(3, 4)
CUBE = varying(2, 3, 4)
TIES = of([[1.0, 2.0, 2.0], [3.0, 3.0, 0.5]])
INTEGERS = of([[3, -1, 2], [0, 5, -4]], np.int32)
BYTES = of([100, 3, 7], np.uint8 if hasattr(wg, "uint64") else np.int8)
FLAGS = of([[True, False], [True, True]])
COMPLEX = of([[1 + 2j, 3 - 1j, 1.2 + 0.5j], [0.5j, -2 + 1j, 2 + 2j]])
HALF = of([1.5, 2.25, -3.0], np.float16)
WITH_NAN = of([[1.0, np.nan, 2.0], [0.5, 3.0, -1.0]])
MASK = [[True, False, True, True], [False, True, True, False], [True, True, False, False]]

REDUCTIONS = ("sum", "prod", "max", "min", "amax", "amin", "ptp", "all", "any", "count_nonzero")
CALLS = [Call(name, X) for name in REDUCTIONS]
CALLS += [
    Call(name, CUBE, axis=axis, keepdims=keepdims)
    for name in REDUCTIONS
    for axis in (1, -1, (0, -1), (0, 1, 2), None)
    for keepdims in (False, True)
]
CALLS += [Call(name, CUBE, axis=()) for name in ("sum", "prod", "max", "min", "all", "any")]
CALLS += [Call(name, values) for name in REDUCTIONS for values in (INTEGERS, BYTES)]
CALLS += [Call(name, HALF, gradient=False) for name in REDUCTIONS]
CALLS += [Call(name, FLAGS, 0) for name in REDUCTIONS if name != "ptp"]
CALLS += [Call(name, COMPLEX, axis=axis) for name in REDUCTIONS for axis in (None, 0, 1)]
CALLS += [Call(name, WITH_NAN, 1, gradient=False) for name in REDUCTIONS]
CALLS += [Call(name, varying()) for name in REDUCTIONS]
CALLS += [Call(name, X, where=MASK, axis=axis) for name in ("sum", "prod", "all", "any") for axis in (None, 0, (0, 1))]
CALLS += [
    Call(name, X, where=MASK, axis=axis, initial=initial)
    for name in ("max", "min", "sum", "prod")
    for axis in (None, 1)
    for initial in (1.1, varying(low=0.9, high=0.95))
]
CALLS += [Call(name, X, 0, initial=0.8) for name in ("max", "min", "sum", "prod")]
CALLS += [Call(name, of(np.zeros((0, 3))), axis=0) for name in ("sum", "prod", "all", "any", "count_nonzero")]
CALLS += [Call(name, of(np.zeros((0, 3))), axis=1) for name in REDUCTIONS]
CALLS += [Call(name, of(np.zeros((0, 3))), axis=0, initial=2.0) for name in ("sum", "prod", "max", "min")]
CALLS += [Call(name, INTEGERS, dtype=np.float32, gradient=False) for name in ("sum", "prod")]
CALLS += [Call(name, X, 1, dtype="complex128") for name in ("sum", "prod")]

POSITIONS = ("argmax", "argmin")
CALLS += [
    Call(name, values, axis=axis, keepdims=keepdims)
    for name in POSITIONS
    for values in (X, TIES, INTEGERS, FLAGS, COMPLEX, WITH_NAN)
    for axis in (None, 0, -1)
    for keepdims in (False, True)
]
CALLS += [Call(name, varying()) for name in POSITIONS]

SCANS = ("cumsum", "cumprod")
CALLS += [
    Call(name, values, axis=axis)
    for name in SCANS
    for values in (X, INTEGERS, BYTES, COMPLEX, FLAGS)
    for axis in (None, 0, -1)
    if values is not BYTES or axis is None
]
CALLS += [Call(name, X, 1, dtype=np.complex128) for name in SCANS]
CALLS += [Call(name, varying()) for name in SCANS]
if hasattr(np, "cumulative_sum"):
    ARRAY_SCANS = ("cumulative_sum", "cumulative_prod")
    CALLS += [
        Call(name, X, axis=axis, include_initial=initial)
        for name in ARRAY_SCANS
        for axis in (0, -1)
        for initial in (False, True)
    ]
    CALLS += [Call(name, varying(4)) for name in ARRAY_SCANS]
    CALLS += [Call(name, varying()) for name in ARRAY_SCANS]
    CALLS += [Call(name, INTEGERS, axis=1, dtype=np.float64, include_initial=True) for name in ARRAY_SCANS]
CALLS += [Call(name, of(np.zeros((0, 0))), axis=0) for name in ("sum", "prod", "all", "any", "count_nonzero")]
