"""Operations on the bits of integers; on bool they are logic."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import BOOL, INTEGRAL

for name, ufunc in (
    ("bitwise_and", np.bitwise_and),
    ("bitwise_or", np.bitwise_or),
    ("bitwise_xor", np.bitwise_xor),
):
    TABLE.pointwise_binary(
        f"{name}(Any self, Any other) -> Tensor", kernels=[ufunc], dtypes=BOOL + INTEGRAL, no_record=True
    )
TABLE.pointwise_unary(
    "bitwise_not(Tensor self) -> Tensor",
    kernels=[np.invert],
    dtypes=BOOL + INTEGRAL,
    no_record=True,
)


def shift_left(xp: Any, x: Any, n: Any) -> Any:
    """x << n, and 0 where n is negative or as large as the number of bits."""
    fits = (n >= 0) & (n < 8 * x.dtype.itemsize)
    return xp.where(fits, xp.left_shift(x, xp.where(fits, n, 0)), 0).astype(x.dtype)


def shift_right(xp: Any, x: Any, n: Any) -> Any:
    """x >> n; where n is negative or too large all bits are the sign's."""
    bits = 8 * x.dtype.itemsize
    places = xp.where((n >= 0) & (n < bits), n, bits - 1).astype(x.dtype)
    shifted = xp.right_shift(x, places)
    return xp.where(n < bits, shifted, 0) if x.dtype.kind == "u" else shifted


TABLE.pointwise_binary(
    "bitwise_left_shift(Any self, Any other) -> Tensor",
    kernels=["left_shift"],
    reference=shift_left,
    dtypes=INTEGRAL,
    no_record=True,
    texts={"label": "lshift_cpu"},
)
TABLE.pointwise_binary(
    "bitwise_right_shift(Any self, Any other) -> Tensor",
    kernels=["right_shift"],
    reference=shift_right,
    dtypes=INTEGRAL,
    no_record=True,
    texts={"label": "rshift_cpu"},
)
