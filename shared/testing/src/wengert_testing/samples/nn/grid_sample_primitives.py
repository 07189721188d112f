"""Samples of the rows that grid_sample calls."""

from __future__ import annotations

from wengert_testing.case import OpCase, T
from wengert_testing.samples.nn.grid_sample import GRID

CASES = [
    OpCase(
        "_grid_sampler_2d",
        None,
        [(T(2, 2, 3, 4), GRID, mode, padding, mode == 1) for mode, padding in ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2))],
        note="values: tests/torch_parity/recorded, by grid_sample",
    ),
    OpCase(
        "_grid_sampler_3d",
        None,
        [(T(2, 1, 2, 3, 2), T(2, 1, 2, 2, 3, domain=(-1.3, 1.3)), mode, mode, True) for mode in (0, 1)],
        note="values: packages/core/tests/test_staged.py",
    ),
    OpCase(
        "_grid_sampler_backward",
        None,
        [
            (T(2, 2, 2, 3), GRID, (3, 4), mode, padding, mode == 1)
            for mode, padding in ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2))
        ],
        note="values: packages/core/tests/test_resampling.py",
    ),
    OpCase(
        "_grid_sampler_grid_backward",
        None,
        [
            (T(2, 2, 2, 3), T(2, 2, 3, 4), GRID, mode, padding, mode == 1)
            for mode, padding in ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2))
        ],
        note="values: packages/core/tests/test_resampling.py",
    ),
]
