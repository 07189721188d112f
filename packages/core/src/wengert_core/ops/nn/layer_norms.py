"""Normalization of layers: over the last dims, by mean and variance or by the root of the mean square."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.dtypes.dtypes import C_NAMES, type_name
from wengert_core.ops.nn.normalization import check_affine
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

ops, composite = TABLE.ops, TABLE.composite


def check_layer(input: Tensor, shape: tuple[int, ...], weight: Tensor | None, bias: Tensor | None) -> None:
    """What layer_norm and rms_norm refuse."""
    for n in shape:
        if not hasattr(type(n), "__index__"):
            raise TypeError(f"argument 'normalized_shape' must be a tuple of ints, not of {type(n).__name__}")
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, x in (("weight", weight), ("bias", bias)):
        if x is not None and tuple(x.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(x.shape)} and "
                f"normalized_shape = {list(shape)}"
            )
    if tuple(input.shape[-len(shape) :]) != shape:
        wanted = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of size"
            f"{list(input.shape)}"
        )


def dims_of(name: str, normalized_shape: Any) -> tuple[int, ...]:
    """The sizes as a tuple; TypeError for one number."""
    if isinstance(normalized_shape, int):
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    return tuple(normalized_shape)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    shape = dims_of("layer_norm", normalized_shape)
    check_layer(input, shape, weight, bias)
    n = math.prod(shape)
    rows = math.prod(input.shape[: input.dim() - len(shape)])
    if input.dtype.category != 2:
        raise NotImplementedError(
            f"\"LayerNormKernelImpl\" not implemented for '{type_name(input)}': it takes floating tensors"
        )
    check_affine(input, weight, bias)
    return ops["_layer_norm"](input, weight, bias, None, None, (1, rows, 1, n, 1), eps)[0]


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    shape = dims_of("rms_norm", normalized_shape)
    if input.dim() < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input.dim()}")
    check_layer(input, shape, weight, None)
    if input.dtype.category < 2:
        raise not_implemented_for("rms_norm", input.dtype)
    if weight is not None and weight.dtype is not input.dtype and input.dtype.category == 2:
        warn_user(f"Mismatch dtype between input and weight: input dtype = {C_NAMES[input.dtype.code]}, weight dtype = "
                  f"{C_NAMES[weight.dtype.code]}, Cannot dispatch to fused implementation.")
    wide = input if input.dtype.itemsize > 2 else input.float()
    eps = 2.0 ** (-52 if wide.dtype.name in ("float64", "complex128") else -23) if eps is None else eps
    result = wide * (wide.square().mean(tuple(range(-len(shape), 0)), keepdim=True) + eps).rsqrt()
    return (result if weight is None else result * weight).to(input.dtype)


def top_layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    return layer_norm(input, normalized_shape, weight, bias, eps)


composite(layer_norm, namespace="nn.functional")
composite(rms_norm, namespace="nn.functional")
composite(rms_norm)
composite(top_layer_norm, name="layer_norm")
