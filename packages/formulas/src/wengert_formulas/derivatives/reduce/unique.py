"""Distinct values: a backward pass through them is refused, as in PyTorch."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative = TABLE.derivative


def not_differentiable(name: str) -> Any:
    """A rule that says there is none, in torch's words."""

    def rule(grad: Tensor) -> Tensor:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    def tangent(self_t: Tensor) -> Tensor:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return {"self": rule, "jvp": tangent}


derivative("_unique", outputs=("output",), node="Unique2Backward0", **not_differentiable("_unique2"))
derivative(
    "_unique_consecutive",
    outputs=("output",),
    node="UniqueConsecutiveBackward0",
    **not_differentiable("unique_consecutive"),
)
