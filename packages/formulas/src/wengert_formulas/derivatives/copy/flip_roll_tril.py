"""Derivatives of the same elements in another order, and of triangles."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear("flip", self=lambda grad, dims: grad.flip(dims))
linear("rot90", self=lambda grad, k, dims: grad.rot90(-k, dims))
linear("tril", self=lambda grad, diagonal: grad.tril(diagonal))
linear("triu", self=lambda grad, diagonal: grad.triu(diagonal))


def roll_back(grad: Tensor, shifts: Any, dims: Any) -> Tensor:
    """roll by the opposite shifts."""
    return grad.roll(-shifts if isinstance(shifts, int) else [-n for n in shifts], dims)


linear("roll", self=roll_back)
