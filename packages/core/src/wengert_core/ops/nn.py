"""More activation functions of nn.functional, made of other operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.dtypes import type_name
from wengert_core.inside_vmap import unfilled
from wengert_core.ops.activations import sigmoid
from wengert_core.ops.table import TABLE
from wengert_core.rows.base import FLOATING
from wengert_core.tensor import Tensor

where, threshold_op = TABLE.ops["where"], TABLE.ops["threshold"]
pointwise, composite = TABLE.pointwise, TABLE.composite
log_sigmoid_op = TABLE.pointwise_unary(
    "log_sigmoid(Tensor self) -> Tensor",
    kernels=["log_sigmoid"],
    dtypes=FLOATING,
    method=False,
    inplace=False,
    reference=lambda xp, x: xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x))),
    doc="log(sigmoid(self)), without overflow.",
)
pointwise(
    2,
    "log_sigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
    kernels=["log_sigmoid_backward"],
    n_promote=2,
    reference=lambda xp, grad, x: grad * sigmoid(xp, -x),
    dtypes=FLOATING,
    method=False,
    inplace=False,
    doc="The gradient of log_sigmoid.",
)


def written(function: Callable[..., Tensor], input: Tensor, inplace: bool, *arguments: Any) -> Tensor:
    """function(input, ...), written into ``input`` where asked for; the function then works on a copy."""
    return input.copy_(function(input.clone(), *arguments)) if inplace else function(input, *arguments)


def constant(x: Tensor) -> Tensor:
    """x without its history; core alone has none."""
    return x.detach() if hasattr(x, "detach") else x


def needs_floats(name: str, x: Tensor) -> None:
    """NotImplementedError for integers, in torch's words."""
    if x.dtype.category != 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x)}'")


def clipped(x: Tensor, low: float, high: float) -> Tensor:
    """x between low and high; unlike clamp, with slope 0 at the bounds and for NaN, as torch's hardtanh."""
    return where((x > low) & (x < high), x, constant(x).clamp(low, high))


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input between min_val and max_val."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val: {min_val} > {max_val}")
    if input.dtype.name == "bool":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.dtype.category < 2:
        min_val, max_val = int(min_val), int(max_val)
        if min_val < 0 and input.dtype.name == "uint8":
            raise RuntimeError(
                f"cannot do hardtanh on an unsigned type with negative limits: {min_val} for {input.dtype}"
            )
    return written(clipped, input, inplace, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input between 0 and 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


def exponential_below(x: Tensor, alpha: float, scale: float, rate: float) -> Tensor:
    """scale * x where positive, scale * alpha * (exp(rate * x) - 1) elsewhere."""
    needs_floats("elu_cpu", x)
    below = x <= 0  # not NaN: its slope is 1
    return scale * where(below, alpha * (where(below, x, 0) * rate).expm1(), x)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, alpha * (exp(input) - 1) elsewhere."""
    return written(exponential_below, input, inplace, alpha, 1.0, 1.0)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the two constants that keep mean 0 and variance 1. Source: Klambauer et al., 2017."""
    return written(exponential_below, input, inplace, 1.6732632423543772, 1.0507009873554805, 1.0)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, alpha * (exp(input / alpha) - 1) elsewhere."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return written(exponential_below, input, inplace, alpha, 1.0, 1.0 / alpha)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """input / 6 + 1/2 between 0 and 1."""
    needs_floats("hardsigmoid_cpu", input)
    return written(lambda x: clipped(x + 3, 0, 6) / 6, input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input)."""
    needs_floats("hardswish_cpu", input)
    return written(lambda x: x * clipped(x + 3, 0, 6) / 6, input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input))."""
    return written(lambda x: x * TABLE.ops["softplus"](x).tanh(), input, inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where above the threshold, value elsewhere."""
    return TABLE.ops["threshold_"](input, threshold, value) if inplace else threshold_op(input, threshold, value)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input)), without overflow."""
    return log_sigmoid_op(input)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return input / (1 + input.abs())


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return input - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input, drawn towards 0 by lambd."""
    needs_floats("softshrink_check", input)
    if lambd < 0:
        raise RuntimeError(f"lambda must be in range [0, 3.40282e+38] for input dtype Float, but found {lambd:g}")
    return input - input.clamp(-lambd, lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input where |input| > lambd, 0 elsewhere."""
    needs_floats("hardshrink_cpu", input)
    return input.masked_fill(input.abs() <= lambd, 0)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along ``dim`` times sigmoid of the second."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    if input.size(dim) % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {dim % input.dim()} is size {input.size(dim)}"
        )
    needs_floats("glu_cpu", input)
    first, second = input.chunk(2, dim) if input.size(dim) else (input, input)
    return first * second.sigmoid()


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where positive, weight * input elsewhere; one weight, or one for each channel (dim 1)."""
    needs_floats("prelu_cpu", input)
    if weight.dim() > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    if input.dtype != weight.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {type_name(input)} and {type_name(weight)}"
        )
    channels = input.size(1) if input.dim() > 1 else 1
    if weight.numel() not in (1, channels):
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{weight.numel()} and channel size = {channels}."
        )
    if weight.dim() and input.dim() > 1:
        weight = weight.reshape([1, weight.numel()] + [1] * (input.dim() - 2))
    return where(input > 0, input, weight.reshape([]) * input if weight.numel() == 1 else weight * input)


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """input where positive, elsewhere times a random slope between lower and upper (their mean unless training)."""
    if not training:
        return TABLE.ops["leaky_relu_" if inplace else "leaky_relu"](input, (lower + upper) / 2)
    slope = unfilled(TABLE.ops["empty_like"](input)).uniform_(lower, upper)
    return written(lambda x: where(x > 0, x, x * slope), input, inplace)


for function in (
    hardtanh,
    relu6,
    elu,
    selu,
    celu,
    hardsigmoid,
    hardswish,
    mish,
    threshold,
    logsigmoid,
    softsign,
    tanhshrink,
    softshrink,
    hardshrink,
    glu,
    prelu,
    rrelu,
):
    composite(function, namespace="nn.functional", out=function in (logsigmoid, softshrink, hardshrink))
for function in (hardshrink, prelu):
    composite(function, out=function is hardshrink)


# ---- the top has no argument inplace
def top_selu(input: Tensor) -> Tensor:
    """elu with the two constants that keep mean 0 and variance 1. Source: Klambauer et al., 2017."""
    return selu(input)


def top_celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """input where positive, alpha * (exp(input / alpha) - 1) elsewhere."""
    return celu(input, alpha)


def top_rrelu(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """input where positive, elsewhere times a random slope between lower and upper (their mean unless training)."""
    return rrelu(input, lower, upper, training)


for function in (top_selu, top_celu, top_rrelu):
    composite(function, name=function.__name__.removeprefix("top_"))
for function in (hardshrink, prelu):
    TABLE.methods[function.__name__] = function


# ---- in place: names that torch has beside inplace=True
def in_place(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with inplace=True."""

    def changed(input: Tensor, *arguments: Any, **words: Any) -> Any:
        return function(input, *arguments, inplace=True, **words)

    changed.__name__ = changed.__qualname__ = f"{name}_"
    changed.__doc__ = f"In-place version of {name}."
    return changed


for name in ("relu", "elu", "hardtanh", "leaky_relu", "threshold", "celu", "selu", "rrelu"):
    composite(in_place(name, TABLE.ops[f"nn.functional.{name}"]), namespace="nn.functional")
for function in (celu, selu, rrelu):
    composite(in_place(function.__name__, function))
