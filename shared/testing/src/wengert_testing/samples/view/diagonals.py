"""Samples of diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows


def diag_embed(x: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Any:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    for i in range(x.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


CASES = [
    OpCase("diag", np.diag, [(T(3),), (T(2), 1), (T(2, 3),), (T(3, 2), -1), (T(0),)], complex=True),
    OpCase("diagflat", np.diagflat, [(T(3),), (T(2, 2), -1), (T(),)]),
    OpCase(
        "diag_embed",
        diag_embed,
        [(T(3),), (T(2, 3),), (T(2, 3), 1), (T(2, 2), -1, 0, 2), (T(2), 1, 1, 0), (T(2, 0),)],
        complex=True,
    ),
    OpCase(
        "linalg.diagonal",
        lambda x, offset=0, dim1=-2, dim2=-1: np.diagonal(x, offset, dim1, dim2),
        [(T(2, 3),), (T(2, 3, 3), {"offset": 1}), (T(2, 3, 2), {"dim1": 0, "dim2": 2})],
    ),
    OpCase("_diag_embed", diag_embed, [(T(3),), (T(2, 3), 1), (T(2, 2), -1, 0, 2), (T(2), 1, 1, 0)], complex=True),
    OpCase(
        "_diagonal_copy",
        lambda x, offset=0, dim1=0, dim2=1: np.diagonal(x, offset, dim1, dim2),
        [(T(2, 3),), (T(3, 2), -1), (T(2, 3, 4), 1, -1, 0)],
        complex=True,
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "diag_embed": [(T(2, 3), 0, -2, -1)],
    "linalg.diagonal": [(T(2, 3, 3), {"offset": 1, "dim1": -3, "dim2": -1})],
})
