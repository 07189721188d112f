"""Samples of pseudo-inverses, least squares, norms, condition numbers, functions of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed, of_nodes
from wengert_testing.samples.linalg.linalg_solve import adjoint, dominant

SQUARES = [(T(3, 3),), (T(2, 2, 2),), (T(1, 1),), (T(0, 0),)]
SHAPES = [(T(3, 3),), (T(2, 4),), (T(4, 2),), (T(2, 3, 2),)]


def hermitian(x: Any, *rest: Any) -> Any:
    return (x + adjoint(x), *rest)


def pinv(x: Any, *tolerances: Any, **words: Any) -> Any:
    return np.linalg.pinv(x)


def inverse_of_rank_one(x: Any, y: Any, atol: Any, rtol: Any) -> Any:
    return np.linalg.pinv(x * y)


def rank(x: Any, tol: Any = None, hermitian: Any = False, atol: Any = None, rtol: Any = None) -> Any:
    return np.linalg.matrix_rank(x, tol if tol is not None else atol, hermitian=hermitian)


def lstsq(a: Any, b: Any, rcond: Any = None, driver: Any = "gelsy") -> Any:
    vector = b.ndim == a.ndim - 1
    right = b[..., None] if vector else b
    x = np.linalg.pinv(a) @ right
    nothing = np.zeros(0)
    m, n = a.shape[-2:]
    residuals = (abs(a @ x - right) ** 2).sum(-2) if m > n and driver != "gelsy" else nothing
    ranks = np.zeros(0, np.int64) if driver == "gels" else np.asarray(np.linalg.matrix_rank(a))
    values = np.linalg.svd(a, compute_uv=False) if driver in ("gelsd", "gelss") else nothing
    return x[..., 0] if vector else x, residuals, ranks, values


SYSTEMS = [(T(4, 2), T(4, 3)), (T(2, 3), T(2, 1)), (T(2, 3, 2), T(2, 3, 1))]
LSTSQ = [(*SYSTEMS[0], 1e-12, "gels"), (*SYSTEMS[1], 1e-12, "gelsy"), (*SYSTEMS[2], 1e-12, "gelsd")]


def matrix_norm(x: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: Any = False) -> Any:
    return np.linalg.norm(x, ord, tuple(dim), keepdim)


NORMS = [
    (T(2, 3),),
    (T(2, 3), "nuc"),
    (T(2, 3), 1),
    (T(3, 2), -1),
    (T(2, 3), 2),
    (T(2, 3), -2),
    (T(3, 2), math.inf),
    (T(2, 3), -math.inf),
    (T(2, 3, 2), "nuc", (0, 2), True),
    (T(2, 3, 2), 1, (2, 0)),
]


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
    OpCase("linalg_pinv", pinv, [(*s, 0.0, 1e-12) for s in SHAPES], complex=True),
    OpCase("linalg.pinv", pinv, [*SHAPES, (T(3, 3), 1e-12)], complex=True),
    OpCase("pinverse", pinv, SHAPES[:2]),
    OpCase(
        "linalg.matrix_rank",
        rank,
        [*SHAPES[:2], (fixed(np.ones((3, 3))),), (fixed(np.diag([3.0, 0.1])), 0.2), (fixed(np.eye(2)), 0.5, True)],
        grad=False,
    ),
    OpCase("linalg_lstsq", lstsq, LSTSQ, complex=True),
    OpCase("linalg.lstsq", lstsq, [*SYSTEMS, (T(2, 3, 2), T(2, 3)), (T(4, 2), T(4, 1), {"driver": "gelss"})]),
    OpCase("linalg.matrix_norm", matrix_norm, NORMS, complex=True),
    OpCase(
        "linalg.norm",
        np.linalg.norm,
        [
            (T(2, 3),),
            (T(4), 3),
            (T(2, 3), "nuc"),
            (T(2, 3), 1),
            (T(2, 3), 1, 1),
            (T(2, 3, 2), "fro", (0, 1)),
            (T(2, 3, 2),),
        ],
    ),
    OpCase(
        "linalg.cond",
        lambda x, p=None: np.linalg.cond(x, p),
        [
            (T(3, 3),),
            (T(2, 3),),
            (T(3, 3), 1),
            (T(2, 2, 2), "fro"),
            (T(3, 3), -2),
            (T(2, 2), "nuc"),
            (T(3, 3), -math.inf),
        ],
        prepared=lambda x, *p: dominant(x, *p) if x.shape[-1] == x.shape[-2] else (x, *p),
    ),
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
