"""Samples of reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes
from wengert_testing.samples.shapes import ONE_DIM, REDUCED, recorded_rows, with_words

AWAY = (0.3, 2.5)
ZEROS = [
    (np.array([2.0, 0.0, 3.0]),),
    (np.array([[0.0, 1.5, 0.0], [2.0, 3.0, 4.0]]), 1),
    (np.array([[0.0, 1.5], [2.0, 3.0]]), 0, True),
]
EMPTY = [(T(0),), (T(2, 0), 1), (T(0, 2), 1)]


def over(name: Any, **fixed: Any) -> Any:
    """NumPy's reduction with torch's arguments."""

    def oracle(x: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any:
        axis = tuple(dim) if isinstance(dim, list) else dim
        axis = None if axis == () or x.ndim == 0 else axis
        return getattr(np, name)(x, axis=axis, keepdims=keepdim and x.ndim > 0, **fixed)

    return oracle


def with_index(name: Any) -> Any:
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
    OpCase("max.dim", with_index("max"), ONE_DIM[1:]),
    OpCase("min.dim", with_index("min"), ONE_DIM[1:]),
    OpCase("max", with_index("max"), ONE_DIM),
    OpCase("max", np.maximum, [(T(3), T(3))]),
    OpCase("min", with_index("min"), ONE_DIM),
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
    OpCase(
        "_count_nonzero",
        lambda x, dim=None, keepdim=False: np.count_nonzero(
            x, axis=tuple(dim) if isinstance(dim, list) else dim, keepdims=keepdim
        ),
        [(np.array([[0.0, 1.0], [2.0, 0.0]]),), (T(2, 3), 1), (T(2, 3, 2), [0, 2], True)],
        grad=False,
    ),
    *(OpCase(f"_{name}", over(name), [(T(4),), (T(2, 3),), (T(),)]) for name in ("max", "min")),
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
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "aminmax": [(T(2, 3), {"dim": -1, "keepdim": True})],
    "max": [(T(3), {"other": T(3)})],
    "min": [(T(3), {"other": T(3)})],
})
CASES += recorded_rows({
    "argmax": [(T(2, 3), -1, True)],
    "argmin": [(T(2, 3), -1, True)],
    "count_nonzero": [(T(2, 3), -1)],
}, grad=False)
