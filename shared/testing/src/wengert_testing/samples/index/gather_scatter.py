"""Samples of reading and writing at positions, and at masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

INDEX = np.array([[0, 1, 1], [2, 0, 2]])
ONCE = np.array([[0, 1, 2], [2, 0, 1]])  # no place twice along dim 0
VECTOR = np.array([2, 0, 0])
DISTINCT = np.array([2, 0])
MASK = np.array([[True, False, True], [False, False, True]])


def index_arrays(x: Any, dim: Any, index: Any) -> Any:
    """Index arrays for all dims."""
    own = list(np.indices(index.shape, sparse=True))
    own[dim] = index
    return tuple(own)


def part(x: Any, dim: Any, index: Any) -> Any:
    return (slice(None),) * (dim % x.ndim) + (index,)


def write_at(combine: Any = None) -> Any:
    """A copy with something written at places."""

    def oracle(x: Any, place: Any, values: Any) -> Any:
        x = np.array(x)
        if combine is None:
            x[place] = values
        else:
            combine.at(x, place, values)
        return x

    return oracle


write, add = write_at(), write_at(np.add)


def fit_index(src: Any, index: Any) -> Any:
    return src[tuple(slice(n) for n in index.shape)] if np.ndim(src) else src


def fill_from(x: Any, mask: Any, source: Any) -> Any:
    x, mask = (np.array(a) for a in np.broadcast_arrays(x, mask))
    x[mask] = source.reshape(-1)[: mask.sum()]
    return x


LINES = np.array([1, 0])
PLACES = np.array([[2, 0], [1, 1]])

CASES = [
    OpCase(
        "gather",
        lambda x, dim, index: x[index_arrays(x, dim, index)],
        [(T(3, 3), 0, INDEX), (T(2, 4), 1, INDEX), (T(3), 0, VECTOR)],
        complex=True,
    ),
    OpCase(
        "take_along_dim",
        lambda x, index, dim=None: np.take_along_axis(x, index, dim),
        [(T(3, 3), INDEX, 0), (T(2, 4), INDEX, 1), (T(2, 3), VECTOR)],
    ),
    OpCase(
        "index_select",
        lambda x, dim, index: np.take(x, index, axis=dim),
        [(T(3, 2), 0, VECTOR), (T(2, 3), -1, VECTOR), (T(3), 0, VECTOR)],
        complex=True,
    ),
    OpCase(
        "scatter",
        lambda x, dim, index, src=None, value=None: write(
            x, index_arrays(x, dim, index), fit_index(src if value is None else value, index)
        ),
        [
            (T(3, 3), 0, ONCE, T(2, 3)),
            (T(3, 3), 0, ONCE, T(3, 4)),
            (T(3, 3), 0, INDEX, 1.5),
            (T(3), 0, DISTINCT, {"value": 2.0}),
        ],
        complex=True,
    ),
    OpCase(
        "scatter_add",
        lambda x, dim, index, src: add(x, index_arrays(x, dim, index), fit_index(src, index)),
        [(T(3, 3), 0, INDEX, T(2, 3)), (T(3, 3), 0, INDEX, T(3, 4)), (T(4), 0, VECTOR, T(3))],
        complex=True,
    ),
    OpCase(
        "index_add",
        lambda x, dim, index, source, alpha=1: add(x, part(x, dim, index), alpha * source),
        [(T(3, 2), 0, VECTOR, T(3, 2)), (T(2, 3), 1, VECTOR, T(2, 3), {"alpha": 0.5})],
        complex=True,
    ),
    OpCase(
        "index_copy",
        lambda x, dim, index, source: write(x, part(x, dim, index), source),
        [(T(3, 2), 0, DISTINCT, T(2, 2)), (T(2, 3), -1, DISTINCT, T(2, 2))],
    ),
    OpCase(
        "index_fill",
        lambda x, dim, index, value: write(x, part(x, dim, index), value),
        [(T(3, 2), 0, VECTOR, 1.5), (T(2, 3), 1, DISTINCT, T())],
    ),
    OpCase("take", lambda x, index: x.reshape(-1)[index], [(T(2, 3), INDEX), (T(3), VECTOR)]),
    OpCase(
        "put",
        lambda x, index, source, accumulate=False: (add if accumulate else write)(
            x.reshape(-1), index.reshape(-1), source.reshape(-1)
        ).reshape(x.shape),
        [(T(2, 3), DISTINCT, T(2)), (T(2, 3), VECTOR, T(3), True)],
    ),
    OpCase("nonzero", lambda x: np.argwhere(x), [(np.array([[0.0, 1.0], [2.0, 0.0]]),), (MASK,)], grad=False),
    OpCase("argwhere", lambda x: np.argwhere(x), [(np.array([[0.0, 1.0], [2.0, 0.0]]),)], grad=False),
    OpCase("masked_select", lambda x, mask: np.broadcast_to(x, mask.shape)[mask], [(T(2, 3), MASK), (T(3), MASK)]),
    OpCase("masked_scatter", fill_from, [(T(2, 3), MASK, T(3)), (T(2, 3), MASK, T(2, 2))]),
    OpCase("_take", lambda x, index: x.reshape(-1)[index], [(T(2, 3), INDEX), (T(3), VECTOR), (T(), np.array(0))]),
    OpCase(
        "_put",
        lambda x, index, source, accumulate=False: (add if accumulate else write)(
            x.reshape(-1), index.reshape(-1), source.reshape(-1)
        ).reshape(x.shape),
        [(T(2, 3), DISTINCT, T(2)), (T(2, 3), VECTOR, T(3), True)],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "gather": [(T(2, 3), -1, PLACES, {"sparse_grad": False})],
    "index_add": [(T(2, 3), -1, LINES, T(2, 2))],
    "index_fill": [(T(2, 3), -1, LINES, 1.5)],
    "scatter": [(T(2, 3), -1, PLACES[:, :1], T(2, 1))],
    "scatter_add": [(T(2, 3), -1, PLACES, T(2, 2))],
    "take_along_dim": [(T(2, 3), PLACES, -1)],
})
CASES += recorded_rows({
    "nonzero": [(T(2, 3), {"as_tuple": True})],
}, grad=False)
