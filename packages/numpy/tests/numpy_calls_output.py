"""Calls of functions that write text."""

import numpy as np

from .numpy_calls import Call, of, varying

CALLS = [
    Call("array2string", varying(2, 3), precision=3, separator=", "),
    Call("array_repr", of([1.5, 2.5])),
    Call("array_repr", of([1, 2], np.int8)),
    Call("array_str", of([1.5, 2.5]), precision=1),
]
