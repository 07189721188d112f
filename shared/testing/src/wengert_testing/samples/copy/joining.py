"""Samples of joining, repeating and bringing to one shape."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

MANY = [([T(2, 3), T(1, 3)],), ([T(2, 1), T(2, 3)], 1), ([T(2)],), ([T(0), T(3)],)]
ALIKE = [([T(2, 3), T(2, 3)],), ([T(2), T(2), T(2)], 1), ([T(), T()],), ([T(2, 3), T(2, 3)], -1)]
ROWS = [([T(3), T(2)],), ([T(2, 3), T(2, 1)],)]


def grids(*xs: Any, indexing: Any = "ij") -> Any:
    return tuple(np.meshgrid(*xs, indexing=indexing))


def repeat_sample(x: Any, repeats: Any, dim: Any = None) -> Any:
    return np.repeat(x, repeats, dim)


def blocks(*xs: Any) -> Any:
    parts = [np.atleast_2d(x) for x in xs]
    out = np.zeros((sum(x.shape[0] for x in parts), sum(x.shape[1] for x in parts)), parts[0].dtype)
    row = column = 0
    for x in parts:
        out[row : row + x.shape[0], column : column + x.shape[1]] = x
        row, column = row + x.shape[0], column + x.shape[1]
    return out


def tuples(x: Any, r: Any = 2, with_replacement: Any = False) -> Any:
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(pick(x, r)))


CASES = [
    OpCase("cat", lambda xs, dim=0: np.concatenate(xs, dim), MANY, complex=True),
    OpCase("stack", lambda xs, dim=0: np.stack(xs, dim), ALIKE, complex=True),
    OpCase("hstack", np.hstack, ROWS),
    OpCase("vstack", np.vstack, [([T(3), T(3)],), ([T(2, 3), T(1, 3)],)]),
    OpCase("row_stack", np.vstack, [([T(3), T(3)],)]),
    OpCase("dstack", np.dstack, [([T(3), T(3)],), ([T(2, 3), T(2, 3)],)]),
    OpCase("column_stack", np.column_stack, [([T(3), T(3)],), ([T(2, 3), T(2)],)]),
    OpCase(
        "repeat",
        lambda x, repeats: np.tile(x, repeats),
        [(T(3), (2,)), (T(2, 3), (2, 1, 2)), (T(), (2,)), (T(2), (0,))],
        complex=True,
    ),
    OpCase("tile", np.tile, [(T(3), (2,)), (T(2, 3), (2, 2)), (T(2, 3), (2,))]),
    OpCase("repeat_interleave", repeat_sample, [(T(3), 2), (T(2, 3), 2, 1), (T(3), np.array([1, 0, 2]), 0)]),
    OpCase("broadcast_tensors", lambda *xs: tuple(np.broadcast_arrays(*xs)), [(T(3), T(2, 1)), (T(), T(2))]),
    OpCase("broadcast_shapes", np.broadcast_shapes, [((2, 1), (3,)), ((), (4,))], grad=False),
    OpCase("meshgrid", grids, [(T(2), T(3), {"indexing": "ij"}), (T(2), T(3), {"indexing": "xy"})]),
    OpCase("block_diag", blocks, [(T(2, 2), T(1, 3)), (T(2), T())]),
    OpCase("_block_diag", lambda xs: blocks(*xs), [([T(2, 2), T(1, 3)],), ([T(2), T(), T(0, 2)],)], complex=True),
    OpCase("cartesian_prod", lambda *xs: np.array(list(itertools.product(*xs))), [(T(2), T(3))]),
    OpCase("combinations", tuples, [(T(4),), (T(3), 2, True)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "cat": [([T(2, 3), T(2, 1)], -1)],
    "repeat_interleave": [(T(2, 3), 2, -1, {"output_size": 6})],
})
