"""Calls of functions of diagonals and triangles."""

from .numpy_calls import Call, of, varying

CALLS = [
    Call("diagonal", varying(2, 3)),
    Call("diagonal", varying(2, 3, 4), 1, 0, 2),
    Call("diagonal", varying(3, 3), offset=-5),
    Call("diagonal", varying(2, 3, 4), axis1=-1, axis2=1),
    Call("diag", varying(3)),
    Call("diag", varying(3), -2),
    Call("diag", varying(2, 3), k=1),
    Call("diagflat", varying(2, 2)),
    Call("diagflat", varying(2), 1),
    Call("diagflat", of(1.5)),
    Call("tril", varying(3, 4)),
    Call("tril", varying(2, 3, 3), k=-1),
    Call("tril", varying(3), 1),
    Call("tril", of([[True, True], [True, True]])),
    Call("triu", varying(3, 4), 1),
    Call("triu", varying(3)),
    Call("triu", of([[1j, 2], [3, 4]])),
    Call("tril_indices_from", varying(2, 3)),
    Call("tril_indices_from", varying(3, 2), k=-1),
    Call("triu_indices_from", varying(3, 3), 1),
    Call("diag_indices_from", varying(3, 3, 3)),
]
