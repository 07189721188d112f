"""Calls of functions of sets."""

import numpy as np

from .numpy_calls import Call, of, varying

NUMBERS = [2.5, 1.5, 2.5, 0.5, 1.5]
ROWS = [[1, 2], [0, 3], [1, 2], [0, 1]]
ALL = {"return_index": True, "return_inverse": True, "return_counts": True}

CALLS = [
    Call("unique", varying(5)),
    Call("unique", varying(2, 3), **ALL),
    Call("unique", of([[2, 1], [1, 3]]), **ALL),
    Call("unique", of(NUMBERS), **ALL, gradient=False),
    Call("unique", of([np.nan, 1.0, np.nan]), **ALL, gradient=False),
    Call("unique", of([np.nan, 1.0, np.nan, 1.0]), equal_nan=False, return_counts=True, gradient=False),
    Call("unique", of([1j, 1, 1j, complex(np.nan, 1)]), return_counts=True, gradient=False),
    Call("unique", of([True, False, True]), return_index=True),
    Call("unique", of(ROWS), axis=0, **ALL),
    Call("unique", varying(3, 2), axis=0, **ALL),
    Call("unique", of(np.transpose(ROWS)), axis=1, **ALL),
    Call("unique", of(ROWS), axis=-1),
    Call("unique", of([3, 1, 3]), axis=0, return_inverse=True),
    Call("unique", of([], float), **ALL),
    Call("unique", of(np.zeros((0, 2))), axis=0, return_counts=True),
    Call("unique_all", of([[2, 1], [1, 3]])),
    Call("unique_counts", of([2, 1, 2])),
    Call("unique_inverse", of([[2, 1], [1, 3]])),
    Call("unique_values", varying(1)),
    Call("isin", of([[1, 2], [3, 4]]), [2, 4]),
    Call("isin", of([1.5, 2.0, np.nan]), of([2, 3]), invert=True),
    Call("isin", np.array([1, 2]), of([2]), kind="table"),
    Call("isin", of([1j, 2]), [1j]),
    Call("isin", of([True, False]), [True]),
    Call("isin", of([1, 2]), []),
    Call("isin", of(2), [1, 2], assume_unique=True),
    Call("intersect1d", of([3, 1, 2, 3]), [2, 3, 5]),
    Call("intersect1d", of(NUMBERS), of([2.5, 0.5, 7.0]), return_indices=True, gradient=False),
    Call("intersect1d", of([3, 1, 2]), [2, 3], assume_unique=True, return_indices=True),
    Call("setdiff1d", varying(4), [0.0]),
    Call("setdiff1d", of([3, 1, 2, 1]), of([2])),
    Call("setdiff1d", of([3, 1, 2, 1]), [2], assume_unique=True),
    Call("setxor1d", of([3, 1, 2, 1]), [2, 5]),
    Call("setxor1d", varying(3), varying(2)),
    Call("union1d", varying(3), varying(2)),
    Call("union1d", of([3, 1]), [[2.5, 3.0]]),
]
