"""Samples of variances, standard deviations and logarithms of sums of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.reduce.reductions import over
from wengert_testing.samples.shapes import recorded_rows

SPREAD = [
    (T(4),),
    (T(2, 3),),
    (T(2, 3), 0),
    (T(3, 2), (0, 1), {"keepdim": True}),
    (T(5, 2), 0, {"correction": 2}),
    (T(2, 3), [-1], {"correction": 0}),
]


def variance(name: Any) -> Any:
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


CASES = [
    OpCase("var.correction", variance("var"), SPREAD, complex=True),
    OpCase("std.correction", variance("std"), SPREAD, complex=True),
    OpCase("var", variance("var"), [*SPREAD, (T(2, 3), 1, False, True), (T(4), {"unbiased": False})]),
    OpCase("std", variance("std"), [*SPREAD, (T(2, 3), 1, False, True)]),
    OpCase("var_mean.correction", mean_too(variance("var")), SPREAD, complex=True),
    OpCase("std_mean.correction", mean_too(variance("std")), SPREAD, complex=True),
    OpCase("var_mean", mean_too(variance("var")), SPREAD),
    OpCase("std_mean", mean_too(variance("std")), SPREAD),
    OpCase(
        "logsumexp", log_sum, [(T(4), 0), (T(2, 3), 1, True), (T(2, 3), (0, 1)), (T(), 0)], complex=True, domain=(-1, 1)
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "logsumexp": [(T(2, 3), -1, True)],
    "std_mean": [(T(2, 3), 1, False, True)],
    "var_mean": [(T(2, 3), 1, False, True)],
})
