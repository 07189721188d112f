"""Operations whose results are truth values or integers: nothing to differentiate. And nan_to_num."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.not_differentiable(
    "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"
)
TABLE.not_differentiable("logical_and", "logical_or", "logical_xor", "logical_not")

# ---- in place: numbers take the place of a tensor that may have a history
TABLE.zero("eq_", "ne_", "lt_", "le_", "gt_", "ge_")
TABLE.zero("logical_and_", "logical_or_", "logical_xor_", "logical_not_")

# ---- replacing what the tests find: a constant there
TABLE.derivative(
    "_nan_to_num",
    self=lambda grad, self: grad * self.isfinite(),
    jvp=lambda self_t, self: self_t * self.isfinite(),
    node="NanToNumBackward0",
)
