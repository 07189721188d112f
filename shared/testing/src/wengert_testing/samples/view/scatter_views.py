"""Samples of writes to a copy's views."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows


def in_part(view: Any) -> Any:
    def oracle(x: Any, src: Any, *arguments: Any) -> Any:
        out = np.array(x)
        out.reshape(-1)[view(np.arange(x.size).reshape(x.shape), *arguments)] = src
        return out

    return oracle


def window(x: Any, size: Any, stride: Any, offset: Any = 0) -> Any:
    return np.lib.stride_tricks.as_strided(x.reshape(-1)[offset:], size, [s * x.itemsize for s in stride])


def cut(x: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    return x[(slice(None),) * dim + (slice(start, end, step),)]


CASES = [
    OpCase(
        "select_scatter",
        in_part(lambda x, dim, index: np.take(x, index, axis=dim)),
        [(T(2, 3), T(3), 0, 1), (T(2, 3), T(2), 1, -1)],
    ),
    OpCase("slice_scatter", in_part(cut), [(T(5), T(2), 0, 1, 3), (T(2, 4), T(2, 2), 1, 0, None, 2)]),
    OpCase("diagonal_scatter", in_part(np.diagonal), [(T(3, 3), T(3)), (T(2, 3), T(2), 1)]),
    OpCase(
        "as_strided_scatter",
        in_part(window),
        [(T(6), T(2, 2), (2, 2), (2, 1)), (T(2, 3), T(2), (2,), (3,), 2), (T(4), T(), (), (), 3)],
        strided=False,
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "diagonal_scatter": [(T(3, 3, 2), T(2, 2), 1, -3, -2)],
    "select_scatter": [(T(2, 3), T(2), -1, 1)],
    "slice_scatter": [(T(2, 5), T(2, 2), -1, 1, 5, 2)],
})
