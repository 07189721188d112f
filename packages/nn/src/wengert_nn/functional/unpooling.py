"""Partial inverses of max poolings: values back to the indices that they were taken from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_nn.base.utils import _pair, _single, _triple
from wengert_nn.functional.type_errors import with_type_errors

__all__ = ["_unpool_output_size", "max_unpool1d", "max_unpool2d", "max_unpool3d"]

Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


@with_type_errors
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the elements of `input` at the `indices` that ``max_pool1d`` has returned.

    kernel_size, stride, padding: those of the pooling. output_size: the size of the pooling's input, where several
    sizes have the same result. Of elements with the same index, the last one stays.

    >>> import wengert as wg
    >>> values, indices = wg.nn.functional.max_pool1d(wg.tensor([[1.0, 3.0, 2.0, 5.0]]), 2, return_indices=True)
    >>> max_unpool1d(values, indices, 2)
    tensor([[0., 3., 0., 5.]])
    """
    strides = _single(kernel_size if stride is None else stride)
    size = _unpool_output_size(input, _single(kernel_size), strides, _single(padding), output_size)
    return unpool(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


@with_type_errors
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the elements of `input` at indices that ``max_pool2d`` has returned; see ``max_unpool1d``."""
    strides = _pair(kernel_size if stride is None else stride)
    size = _unpool_output_size(input, _pair(kernel_size), strides, _pair(padding), output_size)
    return unpool(input, indices, size)


@with_type_errors
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the elements of `input` at indices that ``max_pool3d`` has returned; see ``max_unpool1d``."""
    strides = _triple(kernel_size if stride is None else stride)
    size = _unpool_output_size(input, _triple(kernel_size), strides, _triple(padding), output_size)
    if any(step <= 0 for step in strides):
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(strides)}")
    return unpool(input, indices, size)


@with_type_errors
def _unpool_output_size(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    output_size: Sequence[int] | None,
) -> Sequence[int]:
    """Return the spatial size of an unpooling's result. Raises ValueError for one that cannot be."""
    ndim = len(kernel_size)
    default = [
        (size - 1) * step + kernel - 2 * pad
        for size, step, kernel, pad in zip(input.shape[-ndim:], stride, kernel_size, padding, strict=False)
    ]
    if output_size is not None:
        if len(output_size) == ndim + 2:
            output_size = output_size[2:]
        if len(output_size) != ndim:
            raise ValueError(
                f"output_size should be a sequence containing {ndim} or {ndim + 2} elements, but it has a length of "
                f"'{len(output_size)}'"
            )
        for dim, (size, middle, step) in enumerate(zip(output_size, default, stride, strict=True)):
            if not middle - step < size < middle + step:
                raise ValueError(
                    f'invalid output_size "{output_size}" (dim {dim} must be between {middle - step} and '
                    f"{middle + step})"
                )
    result = default if output_size is None else output_size
    for dim, size in enumerate(result):
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{dim}]={size}"
            )
    return result


def unpool(input: Tensor, indices: Tensor, size: Sequence[int]) -> Tensor:
    """Scatter the elements of each plane or volume into zeros of a spatial size."""
    ndim = len(size)
    check_indices(input, indices, size)
    outer = input.shape[:-ndim]
    zeros = input.new_zeros((*outer, math.prod(size)))
    return zeros.scatter(-1, indices.flatten(-ndim), input.flatten(-ndim)).unflatten(-1, tuple(size))


def check_indices(input: Tensor, indices: Tensor, size: Sequence[int]) -> None:
    """Raise the errors of an unpooling for what cannot be a pooling's result."""
    ndim = len(size)
    if indices.dtype != wengert.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype}")
    if input.dim() not in (ndim + 1, ndim + 2):
        raise RuntimeError(
            f"Input to max_unpooling{ndim}d should be a {ndim + 1}d or {ndim + 2}d Tensor, but got a tensor with "
            f"{input.dim()} dimensions."
        )
    if indices.shape != input.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    check_not_empty(f"max_unpooling{ndim}d", input, ndim)
    outside = (indices < 0) | (indices >= math.prod(size))
    if outside.any():
        text = "x".join(str(length) for length in size)
        raise RuntimeError(
            f"Found an invalid max index: {indices[outside][0].item()} (output volumes are of size {text})"
        )


def check_not_empty(name: str, input: Any, ndim: int) -> None:
    """Raise the error for an input of which another dim than the batch's is empty."""
    for dim in range(input.dim() - ndim - 1, input.dim()):
        if input.size(dim) == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got "
                f"{list(input.shape)} with dimension {dim} being empty."
            )
