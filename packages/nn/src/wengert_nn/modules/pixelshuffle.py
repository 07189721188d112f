"""Layers that move elements between channels and the two last dims."""

from __future__ import annotations

from typing import ClassVar

from wengert import Tensor
from wengert.nn.functional import pixel_shuffle, pixel_unshuffle

from wengert_nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Rearrange ``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)``, with r the `upscale_factor`.

    >>> import wengert as wg
    >>> wg.nn.PixelShuffle(3)(wg.zeros(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """

    __constants__: ClassVar[list[str]] = ["upscale_factor"]
    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange."""
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Rearrange ``(..., C, H * r, W * r)`` to ``(..., C * r * r, H, W)``, with r the `downscale_factor`.

    >>> import wengert as wg
    >>> wg.nn.PixelUnshuffle(3)(wg.zeros(1, 1, 12, 12)).shape
    torch.Size([1, 9, 4, 4])
    """

    __constants__: ClassVar[list[str]] = ["downscale_factor"]
    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange."""
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"
