"""Samples of reductions, spread, norms, scans and sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes
from wengert_testing.samples.shapes import ALONG, ONE_DIM, REDUCED, with_words

AWAY = (0.3, 2.5)
ZEROS = [
    (np.array([2.0, 0.0, 3.0]),),
    (np.array([[0.0, 1.5, 0.0], [2.0, 3.0, 4.0]]), 1),
    (np.array([[0.0, 1.5], [2.0, 3.0]]), 0, True),
]
EMPTY = [(T(0),), (T(2, 0), 1), (T(0, 2), 1)]
SPREAD = [
    (T(4),),
    (T(2, 3),),
    (T(2, 3), 0),
    (T(3, 2), (0, 1), {"keepdim": True}),
    (T(5, 2), 0, {"correction": 2}),
    (T(2, 3), [-1], {"correction": 0}),
]


def over(name: Any, **fixed: Any) -> Any:
    """NumPy's reduction with torch's arguments."""

    def oracle(x: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any:
        axis = tuple(dim) if isinstance(dim, list) else dim
        axis = None if axis == () or x.ndim == 0 else axis
        return getattr(np, name)(x, axis=axis, keepdims=keepdim and x.ndim > 0, **fixed)

    return oracle


def with_place(name: Any) -> Any:
    """Values and places along a dim."""

    def oracle(x: Any, dim: Any = None, keepdim: Any = False) -> Any:
        if dim is None:
            return getattr(np, name)(x)
        if x.ndim == 0:
            return x, np.zeros((), np.int64)
        return getattr(np, name)(x, axis=dim, keepdims=keepdim), getattr(np, f"arg{name}")(
            x, axis=dim, keepdims=keepdim
        )

    return oracle


def spread(name: Any) -> Any:
    """var and std."""

    def oracle(x: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, correction: Any = 1) -> Any:
        axis = tuple(dim) if isinstance(dim, list) else dim
        return getattr(np, name)(
            x, axis=axis, ddof=int(unbiased) if unbiased is not None else correction, keepdims=keepdim
        )

    return oracle


def mean_too(oracle: Any) -> Any:
    """A pair with the mean."""
    return lambda x, dim=None, **words: (oracle(x, dim, **words), over("mean")(x, dim, words.get("keepdim", False)))


def log_sum(x: Any, dim: Any, keepdim: Any = False) -> Any:
    axis = tuple(dim) if isinstance(dim, list) else dim
    return np.log(np.sum(np.exp(x), axis=axis if x.ndim else None, keepdims=keepdim))


def shortened(x: Any, p: Any, dim: int, maxnorm: float) -> Any:
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


def middle(x: Any, dim: Any = None, keepdim: Any = False) -> Any:
    if dim is None:
        return np.sort(x, axis=None)[(x.size - 1) // 2]
    return kth(x, (x.shape[dim] + 1) // 2 if x.ndim else 1, dim, keepdim)


def kth(x: Any, k: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    if x.ndim == 0:
        return x, np.zeros((), np.int64)
    places = np.expand_dims(np.take(np.argsort(x, axis=dim), k - 1, axis=dim), dim)
    pair = np.take_along_axis(x, places, dim), places
    return pair if keepdim else tuple(np.squeeze(a, dim) for a in pair)


def in_order(x: Any, dim: Any = -1, descending: Any = False, stable: Any = False) -> Any:
    if x.ndim == 0:
        return x, np.zeros((), np.int64)
    places = np.argsort(-x if descending else x, axis=dim, kind="stable")
    return np.take_along_axis(x, places, dim), places


def best(x: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Any:
    pair = in_order(x, dim, largest)
    return tuple(np.take(a, np.arange(k), axis=dim) for a in pair) if x.ndim else pair


def running(name: Any) -> Any:
    return lambda x, dim: getattr(np, name)(x, axis=dim) if x.ndim else x


def running_extreme(name: Any) -> Any:
    def oracle(x: Any, dim: Any) -> Any:
        if x.ndim == 0:
            return x, np.zeros((), np.int64)
        best = getattr(np, name).accumulate(x, axis=dim)
        places = np.where(
            x == best, np.arange(x.shape[dim]).reshape([-1 if d == dim % x.ndim else 1 for d in range(x.ndim)]), 0
        )
        return best, np.maximum.accumulate(places, axis=dim)

    return oracle


CASES = [
    OpCase("sum", over("sum"), [*REDUCED, *EMPTY], complex=True),
    OpCase("mean", over("mean"), REDUCED, complex=True, dtypes=("float16", "bfloat16", "float32", "complex64")),
    OpCase("nansum", over("nansum"), REDUCED),
    OpCase("_nansum", over("nansum"), REDUCED),
    OpCase("nanmean", over("nanmean"), REDUCED[1:]),
    OpCase(
        "prod",
        over("prod"),
        [(T(),), (T(4),), (T(2, 3), 0), (T(2, 3), -1, True), (T(2, 3),), *ZEROS],
        domain=AWAY,
        complex=True,
    ),
    OpCase("amax", over("max"), REDUCED),
    OpCase("amin", over("min"), REDUCED),
    OpCase(
        "aminmax",
        lambda x, dim=None, keepdim=False: (over("min")(x, dim, keepdim), over("max")(x, dim, keepdim)),
        [(T(4),), (T(2, 3), {"dim": 1}), (T(2, 3), {"dim": 0, "keepdim": True})],
    ),
    OpCase("max.dim", with_place("max"), ONE_DIM[1:]),
    OpCase("min.dim", with_place("min"), ONE_DIM[1:]),
    OpCase("max", with_place("max"), ONE_DIM),
    OpCase("max", np.maximum, [(T(3), T(3))]),
    OpCase("min", with_place("min"), ONE_DIM),
    OpCase("any", over("any"), [*REDUCED, *EMPTY, (np.array([[True, False], [False, False]]), 1)], grad=False),
    OpCase("all", over("all"), [*REDUCED, *EMPTY, (np.array([[True, False], [True, True]]), 1)], grad=False),
    OpCase("argmax", over("argmax"), [(T(4),), (T(2, 3),), (T(2, 3), 0), (T(2, 3), 1, True)], grad=False),
    OpCase("argmin", over("argmin"), [(T(4),), (T(2, 3),), (T(2, 3), 0), (T(2, 3), 1, True)], grad=False),
    OpCase(
        "count_nonzero",
        lambda x, dim=None: np.count_nonzero(x, axis=dim),
        [(np.array([[0.0, 1.0], [2.0, 0.0]]),), (T(2, 3), 1)],
        grad=False,
    ),
    # ---- spread
    OpCase("var.correction", spread("var"), SPREAD, complex=True),
    OpCase("std.correction", spread("std"), SPREAD, complex=True),
    OpCase("var", spread("var"), [*SPREAD, (T(2, 3), 1, False, True), (T(4), {"unbiased": False})]),
    OpCase("std", spread("std"), [*SPREAD, (T(2, 3), 1, False, True)]),
    OpCase("var_mean.correction", mean_too(spread("var")), SPREAD, complex=True),
    OpCase("std_mean.correction", mean_too(spread("std")), SPREAD, complex=True),
    OpCase("var_mean", mean_too(spread("var")), SPREAD),
    OpCase("std_mean", mean_too(spread("std")), SPREAD),
    OpCase(
        "logsumexp", log_sum, [(T(4), 0), (T(2, 3), 1, True), (T(2, 3), (0, 1)), (T(), 0)], complex=True, domain=(-1, 1)
    ),
    # ---- norms
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
    OpCase("renorm", shortened, [(T(2, 3), 2, 0, 1.0), (T(2, 3, 2), 3, -1, 0.7), (T(2, 3), float("inf"), 1, 9.0)]),
    OpCase("dist", lambda x, y, p=2: vector_norm(x - y, p), [(T(3), T(3)), (T(2, 3), T(3), 3)]),
    OpCase(
        "_dist",
        lambda x, y, p=2: vector_norm(x - y, p),
        [(T(3), T(3)), (T(2, 3), T(3), 3), (T(2, 3), T(2, 3), 1), (T(3), T(1), float("inf")), (T(), T()), (T(0), T(0))],
        kinks=(0,),
        complex=True,
    ),
    # ---- scans
    OpCase("cumsum", running("cumsum"), ALONG, complex=True),
    OpCase(
        "cumprod",
        running("cumprod"),
        [*ALONG, (np.array([1.5, 0.0, 2.0, 0.0, 3.0]), 0), (np.array([[0.0, 2.0], [3.0, 4.0]]), 1)],
        domain=AWAY,
        complex=True,
    ),
    OpCase("cummax", running_extreme("maximum"), ALONG),
    OpCase("cummin", running_extreme("minimum"), ALONG),
    OpCase(
        "logcumsumexp",
        lambda x, dim: np.log(np.cumsum(np.exp(x), axis=dim)) if x.ndim else x,
        ALONG,
        domain=(-1, 1),
        complex=True,
    ),
    # ---- order
    OpCase("sort", in_order, [(T(4),), (T(2, 3), 0), (T(2, 3), -1, True), (T(),)]),
    OpCase("msort", lambda x: np.sort(x, axis=0), [(T(4),), (T(3, 2),)]),
    OpCase(
        "argsort",
        lambda *args, **words: in_order(*args, **words)[1],
        [(T(4),), (T(2, 3), 0), (T(2, 3), 1, True)],
        grad=False,
    ),
    OpCase("topk", best, [(T(5), 2), (T(2, 4), 3, 1, False), (T(4, 2), 2, 0), (T(), 1)]),
    OpCase("kthvalue", kth, [(T(5), 2), (T(2, 4), 3, 1, True), (T(4, 2), 1, 0), (T(), 1)]),
    *(
        OpCase(name, middle, inputs)
        for name in ("median", "nanmedian")
        for inputs in [[(T(5),), (T(4),), (T(3, 4), 1), (T(3, 4), 0, True)]]
    ),
    *(OpCase(f"_{name}", middle, [(T(5),), (T(4),), (T(3, 4),), (T(),)]) for name in ("median", "nanmedian")),
    *(OpCase(f"_{name}", over(name), [(T(4),), (T(2, 3),), (T(),)]) for name in ("max", "min")),
    *(
        OpCase(f"{name}.dim", middle, [(T(5), 0), (T(3, 4), 1), (T(3, 4), 0, True), (T(), 0)])
        for name in ("median", "nanmedian")
    ),
    *(
        OpCase(name, lambda x, *_: np.unique(x), [(np.array([3.0, 1.0, 3.0, 2.0]),)], grad=False)
        for name in ("unique",)
    ),
    OpCase(
        "_unique",
        lambda x: np.unique(x, return_inverse=True, return_counts=True),
        [(np.array([3.0, 1.0, 3.0, 2.0]),)],
        grad=False,
    ),
]
CASES += [
    OpCase(
        name,
        over(f"nan{numpy}"),
        with_words([(np.array([[1.0, np.nan], [2.0, 3.0]]),)], dim=1),
        grad=False,
        note="values only: a NaN has no difference",
    )
    for name, numpy in (("nansum", "sum"), ("nanmean", "mean"))
]
CASES += of_nodes(CASES, _aminmax="aminmax")
