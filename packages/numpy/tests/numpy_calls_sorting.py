"""Calls of functions that sort and search."""

import numpy as np

from .numpy_calls import Call, of, varying

COMPLEX = [2 + 1j, 1 + 3j, 1 - 2j, 2 - 1j]
COMPLEX_NAN = [complex(np.nan, 1), 1j, complex(0, np.nan), complex(np.nan, np.nan), complex(np.nan, 0), 1]

CALLS = [
    Call("sort", varying(2, 5)),
    Call("sort", varying(3, 4), axis=0),
    Call("sort", varying(2, 3), axis=None),
    Call("sort", of([3, 1, 2], np.uint8), kind="stable"),
    Call("sort", of([True, False]), kind="mergesort"),
    Call("sort", of([1.0, np.nan, -np.inf]), stable=True, gradient=False),
    Call("sort", of(COMPLEX), gradient=False),
    Call("sort", of([3j, 2 + 1j, 1 - 2j])),
    Call("sort", of(COMPLEX_NAN), gradient=False),
    Call("sort", varying(0, 3)),
    Call("argsort", varying(2, 5)),
    Call("argsort", varying(3, 4), axis=0, stable=True),
    Call("argsort", of([1, 0, 1, 0]), kind="stable"),
    Call("argsort", varying(2, 3), None),
    Call("argsort", of(COMPLEX)),
    Call("partition", of([3.5, 1.5, 2.5]), [0, 1, 2]),
    Call("partition", of([[3, 1, 2]]), (0, 1, 2), axis=1),
    Call("argpartition", of([3.5, 1.5, 2.5]), [0, 1, 2]),
    Call("argpartition", of([[2], [1]]), [0, 1], axis=0),
    Call("lexsort", (of([1.5, 0.5, 2.5, 0.0]), of([1, 0, 1, 0]))),
    Call("lexsort", (varying(2, 3), varying(2, 3, seed=1)), axis=0),
    Call("lexsort", of([[3, 1, 2], [0, 0, 1]])),
    Call("lexsort", (of([1.5, 0.5]), np.array([1j, 0]))),
    Call("sort_complex", of(COMPLEX), gradient=False),
    Call("sort_complex", varying(4)),
    Call("sort_complex", of([2, 1], np.int8)),
    Call("searchsorted", of([1.0, 2.0, 3.0]), [0.5, 2.0, 9.0]),
    Call("searchsorted", np.array([1, 2, 3]), of([[2.0, 1.5]]), side="right"),
    Call("searchsorted", of([1, 2, 3]), 2),
    Call("searchsorted", of([1.0, 2.0], np.float32), 1.0 + 1e-12),
    Call("searchsorted", of([3.0, 1.0, 2.0]), of([1.5, 2.5]), sorter=np.array([1, 2, 0])),
    Call("searchsorted", of([1 + 1j, 1 + 2j, 3]), [1 + 2j, 2 + 0j]),
    Call("searchsorted", of([1 + 1j, 1 + 2j, 3]), [1 + 2j, 2 + 0j], "right"),
    Call("searchsorted", of([False, True, True]), [True, False]),
    Call("digitize", varying(4), [0.0, 0.8, 1.2]),
    Call("digitize", of([0.5, 1.0, 2.0]), of([0.0, 1.0, 2.0]), right=True),
    Call("digitize", of([0.5, 1.0, 2.0]), [2, 1, 0]),
    Call("digitize", of([0.5, 1.0, 2.0]), [2, 1, 0], True),
    Call("digitize", of(1.5), [1.0]),
]
