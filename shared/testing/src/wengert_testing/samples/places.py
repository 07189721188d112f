"""Samples of the rows below diagonals, pixels, take, put, renorm and ldexp: one node each."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.differences import diag_embed
from wengert_testing.samples.images import shuffled, unshuffled
from wengert_testing.samples.indexing import DISTINCT, INDEX, VECTOR, add, write
from wengert_testing.samples.reductions import shortened

CASES = [
    OpCase("_trace", np.trace, [(T(3, 3),), (T(2, 3),), (T(0, 2),)], complex=True),
    OpCase("_diag_embed", diag_embed, [(T(3),), (T(2, 3), 1), (T(2, 2), -1, 0, 2), (T(2), 1, 1, 0)], complex=True),
    OpCase(
        "_diagonal_copy",
        lambda x, offset=0, dim1=0, dim2=1: np.diagonal(x, offset, dim1, dim2),
        [(T(2, 3),), (T(3, 2), -1), (T(2, 3, 4), 1, -1, 0)],
        complex=True,
    ),
    OpCase("_pixel_shuffle", shuffled, [(T(2, 4, 2, 3), 2), (T(9, 1, 2), 3)]),
    OpCase("_pixel_unshuffle", unshuffled, [(T(2, 1, 4, 6), 2), (T(2, 3, 3), 3)]),
    OpCase("_take", lambda x, index: x.reshape(-1)[index], [(T(2, 3), INDEX), (T(3), VECTOR), (T(), np.array(0))]),
    OpCase(
        "_put",
        lambda x, index, source, accumulate=False: (add if accumulate else write)(
            x.reshape(-1), index.reshape(-1), source.reshape(-1)
        ).reshape(x.shape),
        [(T(2, 3), DISTINCT, T(2)), (T(2, 3), VECTOR, T(3), True)],
    ),
    OpCase("_renorm", shortened, [(T(2, 3), 2, 0, 1.0), (T(2, 3, 2), 3, -1, 0.7), (T(2, 3), 1, 1, 0.3)]),
    OpCase("_ldexp", lambda x, y: x * 2.0**y, [(T(2, 3), T(3)), (T(), T(2)), (T(2, 1), T(3))]),
]
