"""Pixels to channels and back: pixel_shuffle, pixel_unshuffle."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.copy.channels_last import keep_layout
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor


def check_pixels(name: str, input: Tensor, factor: int, argument: str) -> None:
    """RuntimeError unless there are three dims and a positive factor."""
    if input.dim() < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {argument}, but got {factor}")


def shuffle_pixels(input: Any, r: int) -> Any:
    """[..., C r r, H, W] as [..., C, H r, W r]; of a tensor or an array."""
    *batch, channels, height, width = input.shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(batch)
    parts = input.reshape(*batch, channels // (r * r), r, r, height, width)
    parts = in_order(parts, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return parts.reshape(*batch, channels // (r * r), height * r, width * r)


def unshuffle_pixels(input: Any, r: int) -> Any:
    """[..., C, H r, W r] as [..., C r r, H, W]; of a tensor or an array."""
    *batch, channels, height, width = input.shape
    for name, axis, size in (("height", -2, height), ("width", -1, width)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({axis})={size} "
                f"is not divisible by {r}"
            )
    n = len(batch)
    parts = input.reshape(*batch, channels, height // r, r, width // r, r)
    parts = in_order(parts, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return parts.reshape(*batch, channels * r * r, height // r, width // r)


def in_order(x: Any, dims: tuple[int, ...]) -> Any:
    """A tensor or an array with its dims in another order."""
    return x.permute(*dims) if isinstance(x, Tensor) else x.transpose(dims)


shuffle_op = TABLE.staged(
    "_pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
    stages=lambda self, upscale_factor: keep_layout(self, shuffle_pixels(self, upscale_factor)),
    reference=lambda xp, x, upscale_factor: shuffle_pixels(x, upscale_factor),
    method=False,
    doc="[..., C r r, H, W] as [..., C, H r, W r], where r is the factor.",
)
unshuffle_op = TABLE.staged(
    "_pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
    stages=lambda self, downscale_factor: keep_layout(self, unshuffle_pixels(self, downscale_factor)),
    reference=lambda xp, x, downscale_factor: unshuffle_pixels(x, downscale_factor),
    method=False,
    doc="[..., C, H r, W r] as [..., C r r, H, W], where r is the factor.",
)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    check_pixels("pixel_shuffle", input, upscale_factor, "upscale_factor")
    if upscale_factor**2 >> 63:
        raise ValueError(
            f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={upscale_factor}"
        )
    return shuffle_op(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    check_pixels("pixel_unshuffle", input, downscale_factor, "downscale_factor")
    return unshuffle_op(input, downscale_factor)


for function in (pixel_shuffle, pixel_unshuffle):
    TABLE.composite(function)
    TABLE.composite(function, namespace="nn.functional")
