"""Calls of norms, condition numbers and ranks."""

from __future__ import annotations

import numpy as np

from .numpy_calls import Call, of, varying

INF = np.inf
VECTOR, MATRIX, STACK = varying(4, low=-1.0), varying(3, 4, low=-1.0, high=1.5), varying(2, 3, 4, low=-1.0, high=1.5)
COMPLEX = of(MATRIX.array + 1j * varying(3, 4, seed=1).array)
SQUARE = varying(2, 3, 3, low=-1.0, high=1.5)
LOW_RANK = of(np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 0.5]))
VECTOR_ORDERS = (None, 2, 1, INF, -INF, 0, 3, 0.5, -1, -2, -1.5)
MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, INF, -INF)

CALLS = [
    Call("linalg.norm", VECTOR),
    Call("linalg.norm", MATRIX),
    Call("linalg.norm", STACK),
    Call("linalg.norm", STACK, keepdims=True),
    Call("linalg.norm", of(-1.5)),
    Call("linalg.norm", COMPLEX),
    Call("linalg.norm", MATRIX, "f"),
    Call("linalg.norm", of([3, -4])),
    Call("linalg.norm", of([[3, -4]]), "nuc"),
    Call("linalg.norm", of([3, -4], np.float16), gradient=False),
    Call("linalg.norm", of([3, -4], np.float32), 3, gradient=False),
    Call("linalg.norm", of([3, -4j], np.complex64), gradient=False),
    Call("linalg.norm", of([[3, -4j]], np.complex64), "nuc", gradient=False),
    Call("linalg.norm", of(np.zeros(0))),
    Call("linalg.norm", of(np.zeros(0)), 1),
    Call("linalg.norm", of(np.zeros((2, 0))), axis=1),
    *(Call("linalg.norm", VECTOR, order) for order in VECTOR_ORDERS),
    *(Call("linalg.norm", STACK, order, 1) for order in VECTOR_ORDERS),
    *(Call("linalg.norm", COMPLEX, order, axis=-2, keepdims=True) for order in VECTOR_ORDERS),
    *(Call("linalg.norm", MATRIX, order) for order in MATRIX_ORDERS),
    *(Call("linalg.norm", STACK, order, (-1, 0)) for order in MATRIX_ORDERS),
    *(Call("linalg.norm", COMPLEX, order, axis=(1, 0), keepdims=True) for order in MATRIX_ORDERS),
    *(Call("linalg.vector_norm", STACK, ord=order, axis=(0, 2)) for order in (2, 1, INF, 3)),
    Call("linalg.vector_norm", STACK),
    Call("linalg.vector_norm", STACK, keepdims=True),
    Call("linalg.vector_norm", STACK, axis=(2, 0), keepdims=True, ord=1),
    Call("linalg.vector_norm", COMPLEX, axis=-1, keepdims=True),
    Call("linalg.vector_norm", of([1, 2, 2])),
    *(Call("linalg.matrix_norm", STACK, ord=order, keepdims=True) for order in ("fro", "nuc", 1, -2, INF)),
    Call("linalg.matrix_norm", STACK),
    *(Call("linalg.cond", SQUARE, p) for p in (None, 2, -2, 1, -1, INF, -INF, "fro", "nuc")),
    Call("linalg.cond", MATRIX),
    Call("linalg.cond", of(np.eye(2, dtype=np.float32)), 1, gradient=False),
    Call("linalg.cond", of(np.zeros((2, 2))), gradient=False),
    Call("linalg.cond", of(np.zeros((2, 2))), 1, gradient=False),
    Call("linalg.cond", of([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [2.0, 3.0]]]), 1, gradient=False),
    Call("linalg.cond", of([[2, 1], [1, 3]]), 1),
    Call("linalg.matrix_rank", MATRIX),
    Call("linalg.matrix_rank", LOW_RANK),
    Call("linalg.matrix_rank", of(LOW_RANK.array.astype(np.float32))),
    Call("linalg.matrix_rank", SQUARE, tol=np.array([0.5, 0.0])),
    Call("linalg.matrix_rank", SQUARE, rtol=0.4),
    Call("linalg.matrix_rank", SQUARE, hermitian=True),
    Call("linalg.matrix_rank", COMPLEX, 0.5),
    Call("linalg.matrix_rank", VECTOR),
    Call("linalg.matrix_rank", of([0.0, 0.0])),
    Call("linalg.matrix_rank", of(np.zeros((0, 3)))),
]
