"""Poolings by a norm, and the poolings of which both the values and the indices are wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert import Tensor
from wengert.nn.functional import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    relu,
)

from wengert_nn.base.utils import _pair, _triple
from wengert_nn.functional.type_errors import with_type_errors

__all__ = [
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d_with_indices",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
]

Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


@with_type_errors
def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Sizes | None = None, ceil_mode: bool = False
) -> Tensor:
    """Return the norms ``sum(x ** norm_type) ** (1 / norm_type)`` of windows along the last dim.

    norm_type: the exponent; infinity gives the largest absolute value, -infinity the smallest.
    stride: the window's length by default. ceil_mode: whether windows may reach over the end.

    >>> import wengert as wg
    >>> lp_pool1d(wg.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
    tensor([[ 5., 10.]])
    """
    return lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool1d, max_pool1d, kernel_size)


@with_type_errors
def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Tensor:
    """Return the norms of windows over the last two dims; see ``lp_pool1d``."""
    height, width = _pair(kernel_size)
    return lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool2d, max_pool2d, height * width)


@with_type_errors
def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Tensor:
    """Return the norms of windows over the last three dims; see ``lp_pool1d``."""
    depth, height, width = _triple(kernel_size)
    return lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool3d, max_pool3d, depth * height * width)


def lp_pool(
    input: Tensor,
    norm_type: Any,
    kernel_size: Any,
    stride: Any,
    ceil_mode: bool,
    mean: Callable[..., Tensor],
    largest: Callable[..., Tensor],
    size: int,
) -> Tensor:
    """Return norms as powers of means, so that windows that reach over the end count as whole ones."""
    if norm_type == math.inf:
        return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    means = mean(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    # sign * relu(abs) has the value of the mean and the derivative 0 where it is 0, whose root has an infinite one
    return (means.sign() * relu(means.abs())).mul(size).pow(1.0 / norm_type)


def with_indices(pool: Callable[..., Any]) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the function that gives the values of a pooling and their indices, whatever `return_indices` is."""
    names = {1: "one dim", 2: "two dims", 3: "three dims"}

    def pool_with_indices(
        input: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        values, indices = pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)
        return values, indices

    def adaptive_pool_with_indices(
        input: Tensor, output_size: Any, return_indices: bool = False
    ) -> tuple[Tensor, Tensor]:
        values, indices = pool(input, output_size, return_indices=True)
        return values, indices

    name = pool.__name__
    result: Callable[..., tuple[Tensor, Tensor]] = pool_with_indices
    if name.startswith("adaptive"):
        result = adaptive_pool_with_indices
    result.__name__ = result.__qualname__ = f"{name}_with_indices"
    result.__doc__ = (
        f"Return the largest elements of windows over the last {names[int(name[-2])]}, and their indices.\n\n"
        f"    It is ``{name}`` with ``return_indices=True``.\n    "
    )
    return result


max_pool1d_with_indices: Callable[..., tuple[Tensor, Tensor]] = with_indices(max_pool1d)
max_pool2d_with_indices: Callable[..., tuple[Tensor, Tensor]] = with_indices(max_pool2d)
max_pool3d_with_indices: Callable[..., tuple[Tensor, Tensor]] = with_indices(max_pool3d)
adaptive_max_pool1d_with_indices: Callable[..., tuple[Tensor, Tensor]] = with_indices(adaptive_max_pool1d)
adaptive_max_pool2d_with_indices: Callable[..., tuple[Tensor, Tensor]] = with_indices(adaptive_max_pool2d)
adaptive_max_pool3d_with_indices: Callable[..., tuple[Tensor, Tensor]] = with_indices(adaptive_max_pool3d)
