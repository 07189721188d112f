"""Samples of subscripts and of whole-tensor writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.index.gather_scatter import DISTINCT, MASK, VECTOR, add, write


def whole(indices: Any) -> Any:
    return tuple(slice(None) if index is None else index for index in indices)


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    return np.where(mask, value, x)


INDICES = [
    (T(4, 2), (VECTOR,)),
    (T(3, 3), (VECTOR, np.array([1, 1, 0]))),
    (T(2, 3), (None, VECTOR)),
    (T(2, 3), (MASK,)),
    (T(4), (np.array(1),)),
]

PUT = [(T(4, 2), (DISTINCT,), T(2, 2)), (T(2, 3), (None, DISTINCT), T(2)), (T(2, 3), (MASK,), T())]

CASES = [
    OpCase(
        "copy_",
        lambda x, src, non_blocking=False: np.broadcast_to(src, x.shape),
        [(T(2, 3), T(3)), (T(), T()), (T(2), T(2), True)],
        grad=False,
        note="a leaf is not written to: its derivative is in tests/ops/test_inplace.py",
    ),
    OpCase("zero_", np.zeros_like, [(T(2, 3),), (T(),)], grad=False, note="as copy_"),
    OpCase("fill", lambda x, value: np.full_like(x, value), [(T(2, 3), 1.5), (T(2, 3), T()), (T(), T())], complex=True),
    OpCase(
        "masked_fill",
        masked_fill,
        [(T(2, 3), MASK, 0.5), (T(2, 3), MASK, T()), (T(3), MASK, 1.0), (T(2, 3), np.array(True), 2.0)],
        complex=True,
    ),
    OpCase("index", lambda x, indices: x[whole(indices)], INDICES, complex=True),
    OpCase(
        "index_put",
        lambda x, indices, values, accumulate=False: (add if accumulate else write)(x, whole(indices), values),
        [*PUT, (T(4, 2), (VECTOR,), T(3, 2), True), (T(3), (VECTOR,), T(), True)],
        complex=True,
    ),
]
