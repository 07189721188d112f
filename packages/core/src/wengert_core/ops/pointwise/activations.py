"""Activation functions of networks, and the fused kernels of their derivatives."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.ops.pointwise.erf_math import erf
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, FLOATING_COMPLEX, INTEGRAL
from wengert_core.tensors.tensor import Tensor

pointwise, unary = TABLE.pointwise, TABLE.pointwise_unary


def sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)) without overflow."""
    if x.dtype.kind == "c":
        return 1 / (1 + xp.exp(-x))
    e = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1, e) / (1 + e)


# ---- forward
unary(
    "sigmoid(Tensor self) -> Tensor",
    kernels=["sigmoid"],
    reference=sigmoid,
    promotion="float",
    dtypes=FLOATING_COMPLEX,
)
relu_op = unary(
    "relu(Tensor self) -> Tensor",
    kernels=["relu"],
    reference=lambda xp, x: xp.where(x < 0, 0, x).astype(x.dtype),
    dtypes=INTEGRAL + FLOATING,
    refusal={
        "bool": "Boolean inputs not supported for relu",
        "complex": NotImplementedError("clamp is not supported for complex types"),
    },
)

pointwise(
    3,
    "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
    kernels=["threshold"],
    n_promote=1,
    reference=lambda xp, x, threshold, value: xp.where(x <= threshold, value, x).astype(x.dtype),
    dtypes=INTEGRAL + FLOATING,
    check="bound",
    method=False,
)


def soft(xp: Any, x: Any, beta: Any, threshold: Any) -> Any:
    """log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold."""
    return xp.where(x * beta > threshold, x, xp.logaddexp(0, x * beta) / beta).astype(x.dtype)


softplus_op = pointwise(
    3,
    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
    kernels=["softplus"],
    n_promote=1,
    reference=soft,
    dtypes=FLOATING,
    check="factor",
    method=False,
    inplace=False,
)
silu_op = unary(
    "silu(Tensor self) -> Tensor",
    kernels=["silu"],
    reference=lambda xp, x: x * sigmoid(xp, x),
    dtypes=FLOATING_COMPLEX,
    method=False,
)
leaky_op = pointwise(
    2,
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    kernels=["leaky_relu"],
    n_promote=1,
    reference=lambda xp, x, slope: xp.where(x > 0, x, x * slope),
    dtypes=FLOATING,
    check="factor",
    method=False,
)

SQRT_HALF, SQRT_2_OVER_PI, CUBIC = math.sqrt(0.5), math.sqrt(2 / math.pi), 0.044715


def inner(x: Any) -> Any:
    """The argument of tanh in gelu's approximation."""
    return SQRT_2_OVER_PI * (x + CUBIC * x * x * x)


GELU_ERROR = {"variant_error": "approximate argument must be either none or tanh.", "label": "GeluKernelImpl"}
gelu_op = unary(
    "gelu(Tensor self, *, str approximate='none') -> Tensor",
    kernels=["gelu"],
    dtypes=FLOATING,
    method=False,
    inplace=False,
    reference=lambda xp, x: (0.5 * x * (1 + erf(xp, x * SQRT_HALF))).astype(x.dtype),
    variant="approximate",
    texts=GELU_ERROR,
    variants={
        "tanh": {
            "kernels": ["gelu_tanh"],
            "reference": lambda xp, x: (0.5 * x * (1 + xp.tanh(inner(x)))).astype(x.dtype),
        }
    },
)


# ---- derivatives, fused: each is grad times the slope
def backward(n_in: int, schema: str, reference: Any, **row: Any) -> None:
    """A row of a derivative: a function of the gradient first."""
    name = schema.partition("(")[0]
    pointwise(
        n_in,
        schema,
        kernels=row.pop("kernels", [name]),
        reference=reference,
        n_promote=2,
        dtypes=row.pop("dtypes", FLOATING),
        method=False,
        inplace=False,
        **row,
    )


backward(
    2,
    "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
    lambda xp, g, y: g * xp.conj((1 - y) * y),
    dtypes=FLOATING_COMPLEX,
)
backward(
    2,
    "tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
    lambda xp, g, y: g * xp.conj(1 - y * y),
    dtypes=FLOATING_COMPLEX,
)
backward(
    3,
    "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
    lambda xp, g, x, threshold: xp.where(x <= threshold, 0, g).astype(g.dtype),
    dtypes=INTEGRAL + FLOATING,
)
backward(
    3,
    "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result=False) -> Tensor",
    lambda xp, g, x, slope: xp.where(x > 0, g, g * slope),
)


def softplus_slope(xp: Any, g: Any, x: Any, beta: Any, threshold: Any) -> Any:
    """grad * sigmoid(beta x)."""
    return xp.where(x * beta > threshold, g, g * sigmoid(xp, x * beta)).astype(g.dtype)


backward(
    4,
    "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
    softplus_slope,
)


def silu_slope(xp: Any, g: Any, x: Any) -> Any:
    """grad * s (1 + x (1 - s)) with s = sigmoid(x)."""
    s = sigmoid(xp, x)
    return g * xp.conj(s * (1 + x * (1 - s)))


backward(
    2,
    "silu_backward(Tensor grad_output, Tensor self) -> Tensor",
    silu_slope,
    dtypes=FLOATING_COMPLEX,
)


def gelu_slope(xp: Any, g: Any, x: Any) -> Any:
    """grad * (the normal distribution function + x * its density)."""
    density = xp.exp(-0.5 * x * x) * (0.5 * SQRT_2_OVER_PI)
    return (g * (0.5 * (1 + erf(xp, x * SQRT_HALF)) + x * density)).astype(g.dtype)


def gelu_tanh_slope(xp: Any, g: Any, x: Any) -> Any:
    """The slope of the approximation by tanh."""
    t = xp.tanh(inner(x))
    return (g * 0.5 * (1 + t + x * (1 - t * t) * SQRT_2_OVER_PI * (1 + 3 * CUBIC * x * x))).astype(g.dtype)


backward(
    2,
    "gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor",
    gelu_slope,
    variant="approximate",
    texts=GELU_ERROR,
    variants={"tanh": {"kernels": ["gelu_tanh_backward"], "reference": gelu_tanh_slope}},
)


# ---- as torch.nn.functional has them
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return TABLE.ops["relu_"](input) if inplace else relu_op(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return TABLE.ops["silu_"](input) if inplace else silu_op(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return TABLE.ops["leaky_relu_"](input, negative_slope) if inplace else leaky_op(input, negative_slope)


for function in (relu, silu, leaky_relu):
    TABLE.composite(function, namespace="nn.functional")
TABLE.composite(
    lambda input, beta=1, threshold=20: softplus_op(input, beta, threshold),
    name="softplus",
    namespace="nn.functional",
    out=True,
)
TABLE.composite(
    lambda input, approximate="none": gelu_op(input, approximate=approximate),
    name="gelu",
    namespace="nn.functional",
    out=True,
)
TABLE.composite(
    lambda input: TABLE.ops["sigmoid"](input), name="sigmoid", namespace="nn.functional"
)
TABLE.composite(
    lambda input: TABLE.ops["tanh"](input), name="tanh", namespace="nn.functional"
)
