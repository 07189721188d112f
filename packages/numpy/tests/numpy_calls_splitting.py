"""Calls of functions that split."""

import numpy as np

from .numpy_calls import Call, of, varying

CALLS = [
    Call("array_split", varying(7), 3),
    Call("array_split", varying(2, 5), [1, 3], axis=1),
    Call("array_split", varying(5), [3, 1, -1]),
    Call("array_split", varying(2), 3),
    Call("array_split", varying(5), np.int64(2)),
    Call("split", varying(6), 3),
    Call("split", varying(2, 4), np.array([1, 3]), axis=-1),
    Call("split", varying(4), of([1, 2])),
    Call("split", varying(4), [10]),
    Call("hsplit", varying(2, 4), 2),
    Call("hsplit", varying(4), [1]),
    Call("vsplit", varying(4, 2), 2),
    Call("dsplit", varying(2, 1, 4), 2),
    Call("unstack", varying(3, 2)),
    Call("unstack", varying(3, 2), axis=-1),
]
