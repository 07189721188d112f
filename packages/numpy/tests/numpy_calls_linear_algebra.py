"""Calls of numpy.linalg that solve, invert and multiply."""

from __future__ import annotations

import numpy as np

from .numpy_calls import Call, of, varying

SQUARE, STACK = varying(3, 3, low=-1.0, high=1.5), varying(2, 3, 3, low=-1.0, high=1.5)
TALL, WIDE = varying(4, 3, low=-1.0, high=1.5), varying(3, 4, low=-1.0, high=1.5)
COMPLEX = of(SQUARE.array + 1j * varying(3, 3, seed=1).array)
COMPLEX_TALL = of(TALL.array + 1j * varying(4, 3, seed=1).array)
POSITIVE = of(SQUARE.array @ SQUARE.array.T + np.eye(3))
COMPLEX_POSITIVE = of(COMPLEX.array @ COMPLEX.array.conj().T + np.eye(3))
RANK_1 = of(np.outer([1.0, 2.0, 3.0, 1.5], [0.5, 1.0, -1.0]))
SINGLE = of(SQUARE.array, np.float32)
INTEGERS = of([[2, 1, 0], [1, 3, 1], [0, 1, 4]])


CALLS = [
    # values and dtypes
    Call("linalg.inv", SINGLE, gradient=False),
    Call("linalg.inv", of([[True, False], [True, True]])),
    Call("linalg.inv", of(np.zeros((0, 2, 2)))),
    Call("linalg.solve", SINGLE, of(np.arange(3, dtype=np.float32)), gradient=False),
    Call("linalg.solve", SINGLE, of([1, 2, 3]), gradient=False),
    Call("linalg.solve", of(np.eye(3, dtype=np.complex64)), of([1.0, 2.0, 3.0]), gradient=False),
    Call("linalg.det", INTEGERS),
    Call("linalg.det", of(np.zeros((0, 0)))),
    Call("linalg.slogdet", of(np.zeros((2, 2))), gradient=False),
    Call("linalg.slogdet", of(COMPLEX.array.astype(np.complex64)), gradient=False),
    Call("linalg.pinv", of(RANK_1.array.astype(np.float32)), gradient=False),
    Call("linalg.pinv", of(np.zeros((0, 3)))),
    Call("linalg.pinv", INTEGERS),
    Call("linalg.lstsq", of(RANK_1.array.astype(np.float32)), of([1.0, 2.0, 0.5, 3.0], np.float32), gradient=False),
    Call("linalg.lstsq", of(np.arange(6).reshape(3, 2)), of([1, 2, 4])),
    Call("linalg.matrix_power", INTEGERS, 5),
    Call("linalg.matrix_power", of(INTEGERS.array, np.int8), 3),
    Call("linalg.matrix_power", INTEGERS, -2),
    Call("linalg.matrix_power", of(INTEGERS.array > 0), 2),
    Call("linalg.matrix_power", STACK, 0, gradient=False),
    Call("linalg.multi_dot", [INTEGERS, of([1, 2, 3])]),
    Call("linalg.multi_dot", [of([1, 2, 3]), INTEGERS, INTEGERS, of([1.5, 2.0, 3.0])]),
    # systems of equations
    Call("linalg.solve", SQUARE, varying(3)),
    Call("linalg.solve", SQUARE, varying(3, 2)),
    Call("linalg.solve", STACK, varying(3)),
    Call("linalg.solve", STACK, varying(3, 2)),
    Call("linalg.solve", varying(3, 3, 3, low=-1.0, seed=2), varying(3, 3)),
    Call("linalg.solve", SQUARE, varying(2, 3, 2)),
    Call("linalg.solve", COMPLEX, varying(3)),
    Call("linalg.solve", SQUARE, [1.0, 2.0, 3.0]),
    Call("linalg.solve", SQUARE.array, varying(3)),
    Call("linalg.inv", SQUARE),
    Call("linalg.inv", STACK),
    Call("linalg.inv", COMPLEX),
    Call("linalg.pinv", TALL),
    Call("linalg.pinv", WIDE, 0.1),
    Call("linalg.pinv", RANK_1, gradient=False),
    Call("linalg.pinv", TALL, rtol=None),
    Call("linalg.pinv", TALL, 0.6),
    Call("linalg.pinv", SQUARE, 0.6, hermitian=True),
    Call("linalg.pinv", of(np.eye(3)), 0.5),
    Call("linalg.pinv", STACK, rtol=np.array([0.1, 0.0])),
    Call("linalg.pinv", COMPLEX_TALL),
    Call("linalg.pinv", SQUARE, hermitian=True),
    Call("linalg.pinv", COMPLEX, hermitian=True),
    Call("linalg.lstsq", TALL, varying(4)),
    Call("linalg.lstsq", TALL, varying(4, 2)),
    Call("linalg.lstsq", WIDE, varying(3, 2)),
    Call("linalg.lstsq", SQUARE, varying(3)),
    Call("linalg.lstsq", COMPLEX_TALL, varying(4)),
    Call("linalg.lstsq", TALL, varying(4), rcond=-1),
    Call("linalg.lstsq", TALL, varying(4), rcond=0.6),
    Call("linalg.lstsq", RANK_1, varying(4), gradient=False),
    Call("linalg.lstsq", RANK_1.array, varying(4), rcond=1e-8),
    Call("linalg.lstsq", TALL, varying(4, 0)),
    Call("linalg.lstsq", TALL.array, varying(4)),
    Call("linalg.tensorsolve", varying(2, 3, 3, 2, low=-1.0), varying(2, 3)),
    Call("linalg.tensorsolve", varying(2, 3, 6, low=-1.0), varying(2, 3)),
    Call("linalg.tensorsolve", varying(3, 2, 2, 3, low=-1.0), varying(2, 3), axes=(0, 1)),
    Call("linalg.tensorinv", varying(2, 3, 6, low=-1.0)),
    Call("linalg.tensorinv", varying(6, 2, 3, low=-1.0), ind=1),
    # determinants
    Call("linalg.det", SQUARE),
    Call("linalg.det", STACK),
    Call("linalg.det", COMPLEX),
    Call("linalg.det", of([[1.0, 2.0], [2.0, 4.0]])),
    Call("linalg.slogdet", SQUARE),
    Call("linalg.slogdet", STACK),
    Call("linalg.slogdet", COMPLEX),
    # powers and products
    Call("linalg.matrix_power", SQUARE, 1),
    Call("linalg.matrix_power", SQUARE, 2),
    Call("linalg.matrix_power", STACK, 5),
    Call("linalg.matrix_power", STACK, np.int64(-3)),
    Call("linalg.multi_dot", [TALL, SQUARE]),
    Call("linalg.multi_dot", [TALL, SQUARE, WIDE, TALL.array]),
    Call("linalg.multi_dot", [varying(4), TALL, SQUARE, varying(3)]),
    Call("linalg.multi_dot", [varying(4), TALL, SQUARE]),
    Call("linalg.multi_dot", (TALL, SQUARE, varying(3))),
]
