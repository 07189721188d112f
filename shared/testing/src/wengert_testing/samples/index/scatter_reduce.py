"""Samples of scatter_reduce and index_reduce, with a loop as the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows, with_words

INDEX = np.array([[0, 1, 1], [2, 0, 1]])
VECTOR = np.array([2, 0, 0])
WAYS: dict[str, Any] = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}


def reduce_at(x: Any, places: Any, values: Any, reduce: Any, include_self: Any) -> Any:
    """x with the values that come to each place, and its own, reduced together."""
    out = np.array(x)
    groups: dict[Any, list[Any]] = {}
    for place, value in zip(places, values, strict=True):
        groups.setdefault(place, [x[place]] if include_self else []).append(value)
    for place, group in groups.items():
        out[place] = WAYS[reduce](group)
    return out


def scatter_sample(x: Any, dim: Any, index: Any, src: Any, reduce: Any, include_self: Any = True) -> Any:
    own = list(np.ndindex(index.shape))
    places = [(*at[:dim], int(index[at]), *at[dim + 1 :]) for at in own]
    return reduce_at(x, places, [src[at] for at in own], reduce, include_self)


def index_reduced(x: Any, dim: Any, index: Any, source: Any, reduce: Any, include_self: Any = True) -> Any:
    own = list(np.ndindex(source.shape))
    places = [(*at[:dim], int(index[at[dim]]), *at[dim + 1 :]) for at in own]
    return reduce_at(x, places, [source[at] for at in own], reduce, include_self)


def rows(*calls: Any) -> list[Any]:
    """Calls with each reduction, with and without self."""
    return [
        (*call, reduce, {"include_self": own}) for call in calls for reduce in WAYS for own in (True, False)
    ]


def without_sum(calls: list[Any]) -> list[Any]:
    return [call for call in calls if call[4] != "sum"]


SCATTER = rows((T(3, 3), 0, INDEX, T(2, 3)), (T(2, 3), 1, INDEX, T(2, 4)), (T(3), 0, VECTOR, T(3)))
ONE_ZERO = np.array([0.0, 2.0, 0.0])
TWO_ZEROS = np.array([0.0, 0.0, 0.5])
ZEROS = [
    (np.array([0.0, 0.3, 1.0]), 0, VECTOR, ONE_ZERO, "prod"),
    (np.array([0.5, 0.3, 1.0]), 0, VECTOR, TWO_ZEROS, "prod"),
    (np.array([0.5, 0.3, 1.0]), 0, np.array([0, 0, 0]), TWO_ZEROS, "prod", {"include_self": False}),
]

PLACES = np.array([[2, 0], [1, 1]])

CASES = [
    OpCase("scatter_reduce", scatter_sample, [*SCATTER, *ZEROS], domain=(0.3, 2)),
    OpCase(
        "index_reduce",
        index_reduced,
        [
            *without_sum(rows((T(3, 2), 0, VECTOR, T(3, 2)), (T(2, 3), 1, VECTOR, T(2, 3)))),
            *with_words(ZEROS[:2], include_self=True),
        ],
        domain=(0.3, 2),
        warns=r"index_reduce\(\) is in beta",
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "scatter_reduce": [(T(2, 3), -1, PLACES, T(2, 2), "sum", {"include_self": False})],
})
CASES += recorded_rows({
    "index_reduce": [(T(2, 3), -1, np.array([1, 0]), T(2, 2), "amax")],
}, warns=r"index_reduce\(\) is in beta")
