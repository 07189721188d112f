"""Calls of functions of bits."""

import numpy as np

from .numpy_calls import Call, of

BYTES = [[2, 7], [255, 128]]

CALLS = [
    Call("packbits", of([True, False, True, True, False, False, False, False, True])),
    Call("packbits", of([[1, 0, 5], [0, 0, 1]]), axis=1),
    Call("packbits", of([[1, 0, 1], [0, 0, 1]], np.uint8), axis=0, bitorder="little"),
    Call("unpackbits", of(BYTES, np.uint8)),
    Call("unpackbits", of(BYTES, np.uint8), axis=1, count=11),
    Call("unpackbits", of(BYTES, np.uint8), axis=0, count=-3, bitorder="little"),
    Call("unpackbits", of(BYTES, np.uint8), axis=1, count=20),
]
