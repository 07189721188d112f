"""Samples of functions and powers of matrices, reflections, and systems of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes
from wengert_testing.samples.linalg.linalg_solve import adjoint

SQUARES = [(T(3, 3),), (T(2, 2, 2),), (T(1, 1),), (T(0, 0),)]


def inverse_of_rank_one(x: Any, y: Any, atol: Any, rtol: Any) -> Any:
    return np.linalg.pinv(x * y)


def taylor(x: Any) -> Any:
    """exp(x) by its series, of x / 64, squared six times."""
    x = x / 64
    term = result = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(1, 20):
        term = term @ x / k
        result = result + term
    for _ in range(6):
        result = result @ result
    return result


def power(x: Any, n: Any) -> Any:
    return np.linalg.matrix_power(x, n)


POWERS = [(T(2, 2), 0), (T(2, 2), 1), (T(2, 2), 3), (T(2, 2, 2), 2), (T(3, 3), -1), (T(2, 2), -2)]


def reflections(x: Any, tau: Any) -> Any:
    m = x.shape[-2]
    result = np.broadcast_to(np.eye(m), (*x.shape[:-2], m, m))
    for i in range(tau.shape[-1]):
        v = np.where(np.arange(m) > i, x[..., i], np.where(np.arange(m) == i, 1, 0))
        outer = v[..., :, None] * v[..., None, :].conj()
        result = result @ (np.eye(m) - tau[..., i, None, None] * outer)
    return result


def ormqr(x: Any, tau: Any, other: Any, left: Any = True, transpose: Any = False) -> Any:
    q = reflections(x, tau)
    q = adjoint(q) if transpose else q
    return q @ other if left else other @ q


REFLECTORS = [(T(3, 2), T(2)), (T(3, 3), T(2)), (T(2, 3, 2), T(2, 2)), (T(3, 2), T(0))]
CASES = [
    OpCase("linalg_matrix_exp", taylor, SQUARES, complex=True),
    OpCase("linalg.matrix_exp", taylor, SQUARES[:2]),
    OpCase("matrix_exp", taylor, SQUARES[:1]),
    OpCase("matrix_power", power, POWERS),
    OpCase("linalg.matrix_power", power, POWERS[2:]),
    OpCase(
        "linalg.householder_product", lambda x, tau: reflections(x, tau)[..., : x.shape[-1]], REFLECTORS, complex=True
    ),
    OpCase("orgqr", lambda x, tau: reflections(x, tau)[..., : x.shape[-1]], REFLECTORS[:1]),
    OpCase(
        "ormqr",
        ormqr,
        [
            (T(3, 2), T(2), T(3, 2)),
            (T(3, 2), T(2), T(3, 2), True, True),
            (T(3, 2), T(2), T(2, 3), False),
            (T(3, 2), T(2), T(2, 3), False, True),
        ],
        complex=True,
    ),
    OpCase(
        "linalg.tensorinv",
        lambda x, ind=2: np.linalg.tensorinv(x, ind),
        [(T(2, 3, 6),), (T(4, 2, 2), {"ind": 1})],
    ),
    OpCase(
        "linalg.tensorsolve",
        lambda a, b, dims=None: np.linalg.tensorsolve(a, b, dims),
        [(T(2, 3, 6), T(2, 3)), (T(2, 2, 2, 2), T(2, 2)), (T(3, 2, 2), T(2), {"dims": (0,)})][:2],
    ),
    OpCase(
        "linalg.vander",
        lambda x, N=None: x[..., None] ** np.arange(x.shape[-1] if N is None else N),
        [(T(3),), (T(2, 3), {"N": 2}), (T(3), {"N": 5})],
        complex=True,
    ),
    OpCase("vander", np.vander, [(T(3),), (T(3), 2), (T(3), 0), (T(3), 4, True)]),
]
CASES += of_nodes(CASES, _linalg_householder_product="linalg.householder_product", _ormqr="ormqr")
