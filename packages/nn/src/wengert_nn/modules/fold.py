"""Layers that cut images into blocks, and add blocks up to images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wengert import Tensor
from wengert.nn.functional import fold, unfold

from wengert_nn.modules.module import Module

__all__ = ["Fold", "Unfold"]

Sizes = int | Sequence[int]
"""A number for both dims, or one for each."""


class Fold(Module):
    """Add sliding blocks up to an image: the transpose of ``Unfold``.

    output_size: height and width of the image. kernel_size, dilation, padding, stride: those of the blocks.
    input: ``(N, C * height * width of a block, number of blocks)``, or without N; output: ``(N, C, *output_size)``.

    >>> import wengert as wg
    >>> wg.nn.Fold((4, 5), (2, 2))(wg.zeros(1, 3 * 2 * 2, 12)).shape
    torch.Size([1, 3, 4, 5])
    """

    __constants__: ClassVar[list[str]] = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Add the blocks up."""
        return fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Cut an image into sliding blocks, each of which becomes a column.

    kernel_size: height and width of a block. dilation: the step inside of a block. padding: zeros around the image.
    stride: the step from block to block.
    input: ``(N, C, H, W)`` or ``(C, H, W)``; output: ``(N, C * height * width of a block, number of blocks)``.

    >>> import wengert as wg
    >>> wg.nn.Unfold((2, 3))(wg.zeros(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """

    __constants__: ClassVar[list[str]] = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Cut the image."""
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )
