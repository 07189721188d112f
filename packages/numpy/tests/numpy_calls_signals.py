"""Calls of convolution and correlation."""

import numpy as np

from .numpy_calls import Call, of, varying

COMPLEX = of([1 + 2j, 3 - 1j, 1.2 + 0.6j, 2j])
PAIRS = (
    (varying(6), varying(3)),
    (varying(3), varying(6)),
    (varying(5), [1, 2, 0.5, 3]),
    (np.arange(4.0), varying(4)),
    (COMPLEX, varying(2)),
    (varying(2), COMPLEX),
    (of([1, 2, 3]), of([0, 1])),
    (of([1, 2, 3], np.int8), of([2, 1], np.int8)),
    (of([True, False, True]), [True, True]),
    (COMPLEX, of([1j, 2.0])),
    (varying(1), varying(1)),
)
CALLS = [
    Call(name, a, v, mode) for name in ("convolve", "correlate") for a, v in PAIRS for mode in ("full", "same", "valid")
]
CALLS += [
    Call("convolve", varying(4), 2.0),
    Call("convolve", varying(4), varying(3)),
    Call("correlate", varying(4), varying(3)),
]
