"""Derivatives of functions of three tensors: clamp, lerp, addcmul, addcdiv, where."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, of_tensor

elementwise, derivative = TABLE.elementwise, TABLE.derivative

# ---- bounds


def inside(self: Tensor, min: Any, max: Any) -> Any:
    """Where clamp leaves self as it is, bounds included."""
    if min is None:
        return self <= max
    return self >= min if max is None else (self >= min) & (self <= max)


def below(self: Tensor, min: Any, max: Any) -> Any:
    """Where clamp gives min."""
    return self < min if max is None else (self < min) & (min < max)


def above(self: Tensor, min: Any, max: Any) -> Any:
    """Where clamp gives max: also where the bounds cross."""
    return self > max if min is None else (self > max) | (max < min)


elementwise(
    "clamp",
    self=inside,
    min=below,
    max=above,
    node=lambda min, max: "ClampBackward0" if of_tensor(min) or of_tensor(max) else "ClampBackward1",
)
elementwise(
    "clamp_min",
    self=lambda self, min: self >= min,
    min=lambda self, min: self < min,
    node=lambda min: f"ClampMinBackward{int(of_tensor(min))}",
)
elementwise(
    "clamp_max",
    self=lambda self, max: self <= max,
    max=lambda self, max: self > max,
    node=lambda max: f"ClampMaxBackward{int(of_tensor(max))}",
)

# ---- interpolation, and products added
elementwise(
    "lerp",
    self=lambda weight: 1 - weight,
    end=lambda weight: weight,
    weight=lambda self, end: end - self,
    node=lambda weight: f"LerpBackward{int(of_tensor(weight))}",
)
elementwise(
    "addcmul", self=1, tensor1=lambda tensor2, value: tensor2 * value, tensor2=lambda tensor1, value: tensor1 * value
)
elementwise(
    "addcdiv",
    self=1,
    tensor1=lambda tensor2, value: value / tensor2,
    tensor2=lambda tensor1, tensor2, value: -value * tensor1 / (tensor2 * tensor2),
)


def where_part(chosen: Tensor, x_t: Tensor | None, other: bool) -> Tensor:
    """A tangent where its operand was chosen, 0 elsewhere."""
    return wc.where(chosen, 0, x_t) if other else wc.where(chosen, x_t, 0)


derivative(
    "where",
    self=lambda grad, condition: wc.where(condition, grad, 0),
    other=lambda grad, condition: wc.where(condition, 0, grad),
    jvp={
        "self": lambda self_t, condition: where_part(condition, self_t, False),
        "other": lambda other_t, condition: where_part(condition, other_t, True),
    },
)
