"""More activation functions of nn.functional, made of other operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import call_unrecorded
from wengert_core.ops.pointwise.activations import sigmoid
from wengert_core.ops.pointwise.piecewise_activations import in_place
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.tensors.tensor import Tensor
from wengert_core.tensors.vmap_hooks import empty_for_fill

where, threshold_op = TABLE.ops["where"], TABLE.ops["threshold"]
pointwise, composite = TABLE.pointwise, TABLE.composite
log_sigmoid_op = TABLE.pointwise_unary(
    "log_sigmoid(Tensor self) -> Tensor",
    kernels=["log_sigmoid"],
    dtypes=FLOATING,
    method=False,
    inplace=False,
    reference=lambda xp, x: xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x))),
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
)


def write_in_place(function: Callable[..., Tensor], input: Tensor, inplace: bool, *arguments: Any) -> Tensor:
    """function(input, ...), written into ``input`` where asked for; the function then works on a copy."""
    return input.copy_(function(input.clone(), *arguments)) if inplace else function(input, *arguments)


def constant(x: Tensor) -> Tensor:
    """x without its history; core alone has none."""
    return x.detach() if hasattr(x, "detach") else x


def at_least(x: Tensor, least: float) -> Tensor:
    """x, or the number where x is below it; as in torch the gradient is x's there too; forward mode sees the bound."""
    return x + call_unrecorded(lambda: (float(least) - x).clamp_min(0))


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    return TABLE.ops["threshold_"](input, threshold, value) if inplace else threshold_op(input, threshold, value)


def logsigmoid(input: Tensor) -> Tensor:
    return log_sigmoid_op(input)


def softsign(input: Tensor) -> Tensor:
    return input / (1 + input.abs())


def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    return leaky_slope(input, lower, upper, training, None, inplace)


def leaky_slope(input: Tensor, lower: float, upper: float, training: bool, generator: Any, inplace: bool) -> Tensor:
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound, rrelu() got "
                           f"lower={lower:g}, upper={upper:g}")
    if not training:
        return TABLE.ops["leaky_relu_" if inplace else "leaky_relu"](input, (lower + upper) / 2)
    slope = empty_for_fill(TABLE.ops["empty_like"](input)).uniform_(lower, upper, generator=generator)
    return write_in_place(lambda x: where(x > 0, x, x * slope), input, inplace)


for function in (threshold, logsigmoid, softsign, tanhshrink, rrelu):
    composite(function, namespace="nn.functional", out=function is logsigmoid)


# ---- the top has no argument inplace
def top_rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    return leaky_slope(input, lower, upper, training, generator, False)


def top_rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """In-place version of rrelu."""
    return leaky_slope(input, lower, upper, training, generator, True)


composite(top_rrelu, name="rrelu")
composite(top_rrelu_, name="rrelu_")


# ---- in place: names that torch has beside inplace=True
for name in ("relu", "leaky_relu", "threshold", "rrelu"):
    composite(in_place(name, TABLE.ops[f"nn.functional.{name}"]), namespace="nn.functional")
