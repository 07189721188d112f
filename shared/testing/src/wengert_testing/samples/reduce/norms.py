"""Samples of norms, distances and renorm."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T


def shorten_sample(x: Any, p: Any, dim: int, maxnorm: float) -> Any:
    sizes = vector_norm(x, p, [d for d in range(x.ndim) if d != dim % x.ndim], True)
    return x * np.where(sizes > maxnorm, maxnorm / (sizes + 1e-7), 1.0)


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False) -> Any:
    axis = tuple(dim) if isinstance(dim, list) else dim
    size = np.abs(x)
    if abs(ord) == np.inf:
        return (np.max if ord > 0 else np.min)(size, axis=axis, keepdims=keepdim)
    if ord == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdim)
    return np.sum(size**ord, axis=axis, keepdims=keepdim) ** (1 / ord)


NORMS = [
    (T(4),),
    (T(2, 3), 1),
    (T(2, 3), 3, 0),
    (T(2, 3), 1.5, -1, True),
    (T(2, 3), float("inf"), 1),
    (T(4), -float("inf")),
    (T(2, 3), 0, 1),
    (T(), 2),
    (T(2, 3, 2), 2, [0, 2]),
    (T(3), 0.5),
]


CASES = [
    OpCase("_renorm", shorten_sample, [(T(2, 3), 2, 0, 1.0), (T(2, 3, 2), 3, -1, 0.7), (T(2, 3), 1, 1, 0.3)]),
    OpCase("linalg_vector_norm", vector_norm, NORMS, kinks=(0,), complex=True),
    OpCase("linalg.vector_norm", vector_norm, NORMS, kinks=(0,)),
    OpCase(
        "_norm",
        lambda x, p, dim, keepdim=False: vector_norm(x, p, tuple(dim), keepdim),
        [(T(2, 3), 2.0, (-1,)), (T(2, 3), 3, (0,), True), (T(2, 3), 1.5, (0, 1)), (T(2, 3), float("inf"), (1,))],
        kinks=(0,),
        complex=True,
    ),
    OpCase(
        "norm",
        lambda x, p=2, dim=None, keepdim=False: vector_norm(x, 2 if p == "fro" else p, dim, keepdim),
        [*NORMS, (T(2, 3), "fro")],
        kinks=(0,),
    ),
    OpCase("renorm", shorten_sample, [(T(2, 3), 2, 0, 1.0), (T(2, 3, 2), 3, -1, 0.7), (T(2, 3), float("inf"), 1, 9.0)]),
    OpCase("dist", lambda x, y, p=2: vector_norm(x - y, p), [(T(3), T(3)), (T(2, 3), T(3), 3)]),
    OpCase(
        "_dist",
        lambda x, y, p=2: vector_norm(x - y, p),
        [(T(3), T(3)), (T(2, 3), T(3), 3), (T(2, 3), T(2, 3), 1), (T(3), T(1), float("inf")), (T(), T()), (T(0), T(0))],
        kinks=(0,),
        complex=True,
    ),
]
