"""Activation functions of two parts: glu, of the halves of its input, and prelu, of an input and weights."""

from __future__ import annotations

from typing import Any

from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.pointwise.activations import sigmoid
from wengert_core.ops.pointwise.piecewise_activations import needs_floats
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.tensors.tensor import Tensor


# ---- glu
def halves(x: Tensor, dim: int) -> Any:
    """Both halves along a dim; of nothing twice nothing."""
    return x.chunk(2, dim) if x.size(dim) else (x, x)


def glu_reference(self: Tensor, dim: int) -> Tensor:
    """The first half times sigmoid of the second."""
    first, second = halves(self, dim)
    return first * second.sigmoid()


def glu_array(xp: Any, x: Any, dim: int = -1) -> Any:
    """The same, of an array."""
    first, second = xp.split(x, 2, dim)
    return first * sigmoid(xp, second)


glu_op = TABLE.staged(
    "glu(Tensor self, int dim=-1) -> Tensor",
    stages=glu_reference,
    reference=glu_array,
    method=False,
)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even: it has no dims")
    if input.size(dim) % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {dim % input.dim()} is size {input.size(dim)}"
        )
    needs_floats("glu_cpu", input)
    return glu_op(input, dim)


# ---- prelu
prelu_op = TABLE.pointwise(
    2,
    "_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
    kernels=["leaky_relu"],
    reference=lambda xp, x, weight: xp.where(x > 0, x, weight * x),
    dtypes=FLOATING,
    method=False,
    inplace=False,
    doc="self where positive, weight * self elsewhere.",
)
TABLE.pointwise(
    3,
    "_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> Tensor",
    kernels=["leaky_relu_backward"],
    reference=lambda xp, g, x, weight: xp.where(x > 0, g, weight * g),
    dtypes=FLOATING,
    method=False,
    inplace=False,
    doc="The gradient of prelu by its input.",
)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
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
    if input.dim() > 1:
        weight = weight.reshape([1, weight.numel()] + [1] * (input.dim() - 2))
    elif weight.dim() > input.dim():
        weight = weight.reshape([])
    return prelu_op(input, weight)


for function in (glu, prelu):
    TABLE.composite(function, namespace="nn.functional")
TABLE.composite(prelu)
TABLE.methods["prelu"] = prelu
