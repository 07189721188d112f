"""Samples of sorting and of order statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows


def in_order(x: Any, dim: Any = -1, descending: Any = False, stable: Any = False) -> Any:
    if x.ndim == 0:
        return x, np.zeros((), np.int64)
    places = np.argsort(-x if descending else x, axis=dim, kind="stable")
    return np.take_along_axis(x, places, dim), places


def best(x: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Any:
    pair = in_order(x, dim, largest)
    return tuple(np.take(a, np.arange(k), axis=dim) for a in pair) if x.ndim else pair


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



CASES = [
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
    *(
        OpCase(f"{name}.dim", middle, [(T(5), 0), (T(3, 4), 1), (T(3, 4), 0, True), (T(), 0)])
        for name in ("median", "nanmedian")
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "kthvalue": [(T(2, 3), 2, -2, True)],
    "median": [(T(3, 2), -2, True)],
    "nanmedian": [(T(3, 2), -2, True)],
    "topk": [(T(3, 2), 2, -2, False, True)],
    "sort": [(T(3, 2), {"stable": True, "dim": -2, "descending": True})],
})
CASES += recorded_rows({
    "argsort": [(T(3, 2), -2, True), (T(3, 2), {"stable": True, "dim": -2, "descending": True})],
}, grad=False)
