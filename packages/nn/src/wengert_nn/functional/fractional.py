"""Max poolings whose windows lie at random distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_nn.base.utils import _ntuple
from wengert_nn.functional.type_errors import with_type_errors
from wengert_nn.functional.unpooling import check_not_empty

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]

Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


@with_type_errors
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Return the largest elements of as many windows over the last two dims as asked for, at random distances.

    output_size: the number of windows, or output_ratio: its ratio to the size of the input.
    return_indices: whether the indices in the plane are returned too.
    _random_samples: ``(N, C, 2)`` numbers in [0, 1) that choose the windows; drawn by default.
    Source: Graham, Fractional max-pooling, arXiv:1412.6071.

    >>> import wengert as wg
    >>> samples = wg.full((1, 1, 2), 0.3)
    >>> fractional_max_pool2d(wg.arange(16.0).reshape(1, 1, 4, 4), 2, 3, _random_samples=samples)
    tensor([[[[ 5.,  6.,  7.],
              [ 9., 10., 11.],
              [13., 14., 15.]]]])
    """
    both = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return both if return_indices else both[0]


@with_type_errors
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the values and the indices of ``fractional_max_pool2d``."""
    if output_size is None and output_ratio is not None and len(output_ratio) > 2:
        raise ValueError("fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints.")
    return fractional_max_pool(2, input, kernel_size, output_size, output_ratio, _random_samples)


@with_type_errors
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Return the largest elements of windows over the last three dims; see ``fractional_max_pool2d``."""
    both = fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return both if return_indices else both[0]


@with_type_errors
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the values and the indices of ``fractional_max_pool3d``."""
    return fractional_max_pool(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool(
    ndim: int, input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return values and indices of a fractional max pooling over the last `ndim` dims."""
    name = f"fractional_max_pool{ndim}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    sizes = input.shape[-ndim:]
    if output_size is None:
        ratios = _ntuple(ndim)(output_ratio)
        output_size = [int(size * ratio) for size, ratio in zip(sizes, ratios, strict=False)]
    if samples is None:
        batch = 1 if input.dim() == ndim + 1 else input.size(0)
        samples = wengert.rand(batch, input.size(-ndim - 1), ndim, dtype=input.dtype, device=input.device)
    kernels = one_for_each_dim(name, ndim, "kernel_size", kernel_size)
    counts = one_for_each_dim(name, ndim, "output_size", output_size)
    check_windows(name, ndim, input, kernels, counts)
    check_samples(ndim, input, samples)
    with wengert.no_grad():
        flat = input.detach().flatten(-ndim)
        batch = flat.size(0) if flat.dim() == 3 else 1
        candidates = windows(samples[:batch], sizes, kernels, counts)
        candidates = candidates.reshape((*flat.shape[:-1], math.prod(counts) * math.prod(kernels)))
        inside = flat.gather(-1, candidates).unflatten(-1, (math.prod(counts), math.prod(kernels)))
        largest = inside.max(-1, keepdim=True).indices
        indices = candidates.unflatten(-1, inside.shape[-2:]).gather(-1, largest).squeeze(-1)
    values = input.flatten(-ndim).gather(-1, indices)
    return values.unflatten(-1, counts), indices.unflatten(-1, counts)


def windows(
    samples: Tensor, sizes: Sequence[int], kernels: Sequence[int], counts: Sequence[int]
) -> Tensor:
    """Return the indices in flat planes of all elements of all windows: ``(N, C, *counts, *kernels)``."""
    ndim = len(sizes)
    indices: Any = 0
    for dim, (size, kernel, count) in enumerate(zip(sizes, kernels, counts, strict=True)):
        number = ndim - 1 - dim if ndim == 2 else dim  # PyTorch's order: width and height, but depth, height, width
        starts = window_starts(samples[..., number], size, kernel, count)
        elements = starts.unsqueeze(-1) + wengert.arange(kernel, device=samples.device)
        shape = [1] * (2 * ndim)
        shape[dim], shape[ndim + dim] = count, kernel
        indices = indices * size + elements.reshape((*starts.shape[:2], *shape))
    result: Tensor = indices
    return result


def window_starts(samples: Tensor, size: int, kernel: int, count: int) -> Tensor:
    """Return where the windows along one dim begin: at distances of one of two lengths, the last one at the end."""
    step = (size - kernel) / (count - 1) if count > 1 else 0.0
    numbers = wengert.arange(count, device=samples.device, dtype=samples.dtype)
    offset = samples.unsqueeze(-1)
    starts = ((numbers + offset) * step).long() - (offset * step).long()
    if count > 0:
        starts[..., -1] = size - kernel
    return starts


def one_for_each_dim(name: str, ndim: int, argument: str, value: Any) -> tuple[int, ...]:
    """Return sizes for all dims. RuntimeError for as many of them as there are no dims."""
    sizes = _ntuple(ndim)(value)
    if len(sizes) != ndim:
        raise RuntimeError(f"{name}: {argument} must either be a single Int or tuple of Ints, got {value}")
    return sizes


def check_windows(name: str, ndim: int, input: Tensor, kernels: Sequence[int], counts: Sequence[int]) -> None:
    """Raise the errors for an input that is no plane or volume, or too small for the windows."""
    if input.dim() not in (ndim + 1, ndim + 2):
        raise RuntimeError(
            f"{name}(): Expected {ndim + 1}D or {ndim + 2}D tensor, but got: {list(input.shape)}"
        )
    check_not_empty(name, input, ndim)
    words = ("time", "height", "width")[-ndim:]
    for word, size, kernel, count in zip(words, input.shape[-ndim:], kernels, counts, strict=True):
        if count + kernel - 1 > size - (ndim == 3):  # PyTorch's bounds, which are not the same in two and three dims
            raise RuntimeError(
                f"{name}(): pool {word} {kernel} too large relative to input {word} {size} for {count} windows"
            )


def check_samples(ndim: int, input: Tensor, samples: Tensor) -> None:
    """Raise the errors for random samples that do not fit the input."""
    if samples.dtype != input.dtype:
        raise RuntimeError(
            f"Expect _random_samples to have the same dtype as input, got {samples.dtype} and {input.dtype}"
        )
    if samples.dim() != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.dim()}")
    batch = 1 if input.dim() == ndim + 1 else input.size(0)
    if samples.size(0) < batch:
        raise RuntimeError(
            f"Expect _random_samples.size(0) no less then input batch size: got {samples.size(0)} and {batch}."
        )
    if samples.size(1) != input.size(-ndim - 1):
        raise RuntimeError(
            "Expect _random_samples.size(1) equals to input channel size: "
            f"got {samples.size(1)} and {input.size(-ndim - 1)}."
        )
    if samples.size(2) != ndim:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {ndim}; got {samples.size(2)}.")
