"""Operations on bits have no derivative."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.not_differentiable(
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift"
)
