"""Operations that make tensors from no other: nothing to differentiate."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.not_differentiable(
    "tensor",
    "as_tensor",
    "asarray",
    "scalar_tensor",
    "frombuffer",
    "empty",
    "zeros",
    "ones",
    "full",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_strided",
    "arange",
    "range",
    "linspace",
    "logspace",
    "eye",
    "tril_indices",
    "triu_indices",
    "new_empty",
    "new_zeros",
    "new_ones",
    "new_full",
    "new_tensor",
    "new_empty_strided",
)
