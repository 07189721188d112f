"""Activation functions made of pieces: elu, hardtanh and their kin, the two shrinks; and mish.

Each is one node of the graph: a row with a kernel, and a row for its gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.dtypes.dtypes import type_name
from wengert_core.exchange.type_info import finfo
from wengert_core.ops.pointwise.activations import backward, sigmoid
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, INTEGRAL
from wengert_core.tensors.tensor import Tensor

composite, OPS = TABLE.composite, TABLE.ops


def forward(n_in: int, schema: str, reference: Any, **row: Any) -> Any:
    """A row of a function: of its arguments after the first none takes part in promotion."""
    name = schema.partition("(")[0]
    row = {"kernels": [name], "dtypes": FLOATING, "method": False, **row}
    return TABLE.pointwise(n_in, schema, reference=reference, n_promote=1, **row)


def needs_floats(name: str, x: Tensor) -> None:
    """NotImplementedError for integers, in torch's words."""
    if x.dtype.category != 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x)}'")


# ---- elu, selu, celu
def exponential_below(xp: Any, x: Any, alpha: Any, scale: Any, rate: Any) -> Any:
    """scale * x where not negative, scale * alpha * (exp(rate * x) - 1) elsewhere."""
    low = xp.where(x < 0, x, 0)
    return xp.where(x < 0, scale * alpha * xp.expm1(low * rate), scale * x).astype(x.dtype)


def exponential_slope(xp: Any, g: Any, x: Any, alpha: Any, scale: Any, rate: Any) -> Any:
    """grad times the slope, which at 0 is that of the left side."""
    low = xp.where(x <= 0, x, 0)
    return (g * xp.where(x <= 0, scale * alpha * rate * xp.exp(low * rate), scale)).astype(g.dtype)


def slope_of_result(xp: Any, g: Any, y: Any, alpha: Any, scale: Any, rate: Any) -> Any:
    """The same, from the function's result."""
    return (g * xp.where(y <= 0, rate * (y + scale * alpha), scale)).astype(g.dtype)


elu_op = forward(
    4,
    "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    exponential_below,
    check="factor",
)
celu_op = forward(
    2,
    "_celu(Tensor self, Scalar alpha=1.0) -> Tensor",
    lambda xp, x, alpha: exponential_below(xp, x, alpha, 1, 1 / alpha),
    check="factor",
    doc="self where positive, alpha * (exp(self / alpha) - 1) elsewhere.",
    kernels=["celu"],
)
backward(
    5,
    "elu_backward(Tensor grad_output, Tensor self_or_result, Scalar alpha, Scalar scale, Scalar input_scale, "
    "bool is_result=False) -> Tensor",
    exponential_slope,
    variant="is_result",
    variants={True: {"kernels": ["elu_backward_of_result"], "reference": slope_of_result}},
)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    needs_floats("elu_cpu", input)
    return OPS["elu_"](input, alpha) if inplace else elu_op(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    # Source of the constants, which keep mean 0 and variance 1: Klambauer et al., 2017.
    needs_floats("elu_cpu", input)
    return (OPS["elu_"] if inplace else elu_op)(input, 1.6732632423543772, 1.0507009873554805)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    needs_floats("elu_cpu", input)
    return OPS["_celu_"](input, alpha) if inplace else celu_op(input, alpha)


# ---- hardtanh, relu6
def clip_values(xp: Any, x: Any, low: Any, high: Any) -> Any:
    """x between low and high; NaN stays, and is all there is where a bound is NaN."""
    if low != low or high != high:
        return xp.where(x == x, low + high, x).astype(x.dtype)
    inside = xp.where(x >= low, xp.where(x <= high, x, high), low)
    return xp.where(x == x, inside, x).astype(x.dtype)


hardtanh_op = forward(
    3,
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    clip_values,
    check="bound",
    dtypes=INTEGRAL + FLOATING,
    refusal={
        "bool": "Bool inputs not supported for hardtanh",
        "complex": NotImplementedError("clamp is not supported for complex types"),
    },
)
backward(
    4,
    "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
    lambda xp, g, x, low, high: xp.where((x <= low) | (x >= high), 0, g).astype(g.dtype),
)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val: {min_val} > {max_val}")
    if input.dtype.category == 1:
        min_val, max_val = int(min_val), int(max_val)
        if min_val < 0 and not input.dtype.is_signed:
            raise RuntimeError(
                f"cannot do hardtanh on an unsigned type with negative limits: {min_val} for {input.dtype}"
            )
    return OPS["hardtanh_"](input, min_val, max_val) if inplace else hardtanh_op(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return hardtanh(input, 0, 6, inplace)


# ---- hardsigmoid, hardswish
hardsigmoid_op = forward(
    1,
    "hardsigmoid(Tensor self) -> Tensor",
    lambda xp, x: clip_values(xp, x + 3, 0, 6) / 6,
)
backward(
    2,
    "hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
    lambda xp, g, x: xp.where((x > -3) & (x < 3), g / 6, 0).astype(g.dtype),
)
hardswish_op = forward(
    1,
    "hardswish(Tensor self) -> Tensor",
    lambda xp, x: x * clip_values(xp, x + 3, 0, 6) / 6,
)
backward(
    2,
    "hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
    lambda xp, g, x: xp.where(x <= -3, 0, g * xp.where(x < 3, x / 3 + 0.5, 1)).astype(g.dtype),
)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return OPS["hardsigmoid_"](input) if inplace else hardsigmoid_op(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return OPS["hardswish_"](input) if inplace else hardswish_op(input)


# ---- mish
def mish_slope(xp: Any, g: Any, x: Any) -> Any:
    """grad * (t + x s (1 - t**2)) with t = tanh(softplus(x)), s = sigmoid(x)."""
    t = xp.tanh(xp.logaddexp(0, x))
    return (g * (t + x * sigmoid(xp, x) * (1 - t * t))).astype(g.dtype)


mish_op = forward(
    1,
    "mish(Tensor self) -> Tensor",
    lambda xp, x: (x * xp.tanh(xp.logaddexp(0, x))).astype(x.dtype),
)
backward(
    2,
    "mish_backward(Tensor grad_output, Tensor self) -> Tensor",
    mish_slope,
)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return OPS["mish_"](input) if inplace else mish_op(input)


# ---- softshrink, hardshrink
def soft(xp: Any, x: Any, lambd: Any) -> Any:
    """x drawn towards 0 by lambd."""
    middle = xp.where(x == x, 0, x)
    return xp.where(x > lambd, x - lambd, xp.where(x < -lambd, x + lambd, middle)).astype(x.dtype)


soft_op = forward(
    2,
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    soft,
    inplace=False,
)
hardshrink_op = forward(
    2,
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    lambda xp, x, lambd: xp.where((x >= -lambd) & (x <= lambd), 0, x).astype(x.dtype),
    narrow="numbers",
    check="bound",
    inplace=False,
    method=True,
)
for name in ("softshrink", "hardshrink"):
    backward(
        3,
        f"{name}_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
        lambda xp, g, x, lambd: xp.where((x >= -lambd) & (x <= lambd), 0, g).astype(g.dtype),
        narrow="numbers",
        kernels=["shrink_backward"],
    )


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    needs_floats("softshrink_check", input)
    most = finfo(input.dtype).max
    if not 0 <= lambd <= most:
        kind = type_name(input)
        raise RuntimeError(f"lambda must be in range [0, {most:g}] for input dtype {kind}, but found {lambd:g}")
    return soft_op(input, lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return hardshrink_op(input, lambd)


for function in (hardtanh, relu6, elu, selu, celu, hardsigmoid, hardswish, mish, softshrink, hardshrink):
    composite(function, namespace="nn.functional", out=function in (softshrink, hardshrink))


# ---- the top has no argument inplace
def top_selu(input: Tensor) -> Tensor:
    # Source of the constants, which keep mean 0 and variance 1: Klambauer et al., 2017.
    return selu(input)


def top_celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    return celu(input, alpha)


composite(top_selu, name="selu")
composite(top_celu, name="celu")


# ---- in place: names that torch has beside inplace=True
def in_place(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with inplace=True."""

    def changed_value(input: Tensor, *arguments: Any, **words: Any) -> Any:
        return function(input, *arguments, inplace=True, **words)

    changed_value.__name__ = changed_value.__qualname__ = f"{name}_"
    changed_value.__doc__ = f"In-place version of {name}."
    return changed_value


for name in ("elu", "hardtanh", "celu", "selu"):
    composite(in_place(name, OPS[f"nn.functional.{name}"]), namespace="nn.functional")
for function in (celu, selu):
    composite(in_place(function.__name__, function))
