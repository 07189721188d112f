"""Calls of functions that reorder axes."""

from .numpy_calls import Call, of, varying

CALLS = [
    Call("transpose", varying(2, 3)),
    Call("transpose", varying(2, 3, 2), (1, 0, 2)),
    Call("transpose", varying(2, 3, 2), [-1, 0, 1]),
    Call("transpose", varying(3)),
    Call("transpose", of(1.5)),
    Call("permute_dims", varying(2, 3, 1), (2, 0, 1)),
    Call("matrix_transpose", varying(2, 3, 4)),
    Call("linalg.matrix_transpose", varying(3, 4)),
    Call("swapaxes", varying(2, 3, 1), 0, -1),
    Call("moveaxis", varying(2, 3, 4), 0, -1),
    Call("moveaxis", varying(2, 3, 4), (0, 1), (-1, 0)),
    Call("moveaxis", varying(2, 3, 4), [2, 0], [0, 1]),
    Call("moveaxis", varying(2, 3), (), ()),
    Call("rollaxis", varying(2, 3, 4), 2),
    Call("rollaxis", varying(2, 3, 4), 0, 3),
    Call("rollaxis", varying(2, 3, 4), 1, -1),
    Call("rollaxis", varying(2, 3, 4), 1, 1),
]
