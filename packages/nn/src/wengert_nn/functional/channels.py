"""Functions that mix or compare channels: shuffling, local response normalization, convolution of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert import Tensor
from wengert.nn.functional import avg_pool2d, avg_pool3d, conv1d, pad

from wengert_nn.functional.type_errors import with_type_errors

__all__ = [
    "_verify_batch_size",
    "_verify_spatial_size",
    "channel_shuffle",
    "conv_tbc",
    "local_response_norm",
    "native_channel_shuffle",
]


@with_type_errors
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave groups of channels: the first channel of each group, the second of each group, and so on.

    input: ``(N, C, ...)``, where `groups` divides C.

    >>> import wengert as wg
    >>> channel_shuffle(wg.arange(6).reshape(1, 6, 1), 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
    if not isinstance(groups, int):
        raise TypeError(
            f"channel_shuffle(): argument 'groups' (position 2) must be int, not {type(groups).__name__}"
        )
    shape = input.shape
    if len(shape) <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups != 0:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    return input.unflatten(1, (groups, shape[1] // groups)).transpose(1, 2).contiguous().view(shape)


@with_type_errors
def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave groups of channels: the same as ``channel_shuffle``."""
    return channel_shuffle(input, groups)


@with_type_errors
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide by ``(k + alpha * mean) ** beta``, the mean of the squares of `size` neighboring channels.

    input: ``(N, C, ...)`` with at least 3 dims. Neighbors that are not there count as 0.

    >>> import wengert as wg
    >>> local_response_norm(wg.ones(1, 2, 1), 2, alpha=1.0, beta=1.0).flatten()
    tensor([0.6667, 0.5000])
    """
    dim = input.dim()
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    before, after = size // 2, (size - 1) // 2
    if dim == 3:
        padded = pad(squares.unsqueeze(1), (0, 0, before, after))
        means = avg_pool2d(padded, (size, 1), stride=1).squeeze(1)
    else:
        shape = input.size()
        planes = squares.view(shape[0], 1, shape[1], shape[2], -1)
        padded = pad(planes, (0, 0, 0, 0, before, after))
        means = avg_pool3d(padded, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / means.mul(alpha).add(k).pow(beta)


@with_type_errors
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve along the first dim of sequences ``(T, N, C)``.

    weight: ``(kernel_width, in_channels, out_channels)``; bias: ``(out_channels,)``; pad: zeros at both ends.
    """
    if weight.dim() != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.dim() != 1:
        raise RuntimeError(f"Bias must be 1-D, got {bias.dim()} dims")
    if input.dim() != 3:
        raise RuntimeError(f"Input must have 3 dims: time, batch, in_channel, got {input.dim()} dims")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError(
            "Input dim 2 (input channels) is not == dim 1 in the weight tensor: "
            f"got {input.shape[2]} and {weight.shape[1]}"
        )
    if bias.shape[0] != weight.shape[2]:
        raise RuntimeError(
            "Bias size must equal dim 2 in the weight tensor (output channels). "
            f"Got {bias.shape[0]} and {weight.shape[2]}"
        )
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1).contiguous()


def _verify_batch_size(size: Sequence[int]) -> None:
    """Raise the error for an input of which a channel has one element: it has no variance."""
    count: Any = size[0]
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _verify_spatial_size(size: Sequence[int]) -> None:
    """Raise the error for an input of which a channel of one sample has one element."""
    count = 1
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
