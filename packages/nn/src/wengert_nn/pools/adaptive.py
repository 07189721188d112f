"""Pooling layers whose number of windows is chosen, not their size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)

from wengert_nn.modules.module import Module

Sizes = int | None | Sequence[int | None]
"""A number for all spatial dims, or one for each; None keeps a dim's size."""


class _AdaptiveMaxPoolNd(Module):
    """The base class of adaptive max poolings."""

    __constants__: ClassVar[list[str]] = ["output_size", "return_indices"]
    _function: ClassVar[Callable[..., Any]]

    def __init__(self, output_size: Sizes, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Return the largest element of each window, and with `return_indices` also their indices."""
        return self._function(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """Return the number of windows."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Return the largest elements of `output_size` windows along the last dim.

    return_indices: whether the indices are returned too. input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.AdaptiveMaxPool1d(2)(wg.arange(5.0).reshape(1, 5))
    tensor([[2., 4.]])
    """

    _function = staticmethod(adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Return the largest elements of `output_size` windows of images: a number or a pair.

    None keeps a dim's size. return_indices: whether the indices are returned too.

    >>> import wengert as wg
    >>> wg.nn.AdaptiveMaxPool2d((5, None))(wg.zeros(1, 64, 10, 9)).shape
    torch.Size([1, 64, 5, 9])
    """

    _function = staticmethod(adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Return the largest elements of `output_size` windows of volumes: a number or a triple.

    None keeps a dim's size. return_indices: whether the indices are returned too.

    >>> import wengert as wg
    >>> wg.nn.AdaptiveMaxPool3d((7, None, 1))(wg.zeros(1, 2, 10, 9, 8)).shape
    torch.Size([1, 2, 7, 9, 1])
    """

    _function = staticmethod(adaptive_max_pool3d)


class _AdaptiveAvgPoolNd(Module):
    """The base class of adaptive average poolings."""

    __constants__: ClassVar[list[str]] = ["output_size"]
    _function: ClassVar[Callable[..., Tensor]]

    def __init__(self, output_size: Sizes) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Compute the means."""
        return self._function(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the number of windows."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Return the means of `output_size` windows along the last dim.

    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.AdaptiveAvgPool1d(2)(wg.arange(4.0).reshape(1, 4))
    tensor([[0.5000, 2.5000]])
    """

    _function = staticmethod(adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Return the means of `output_size` windows of images: a number or a pair; None keeps a dim's size.

    >>> import wengert as wg
    >>> wg.nn.AdaptiveAvgPool2d(1)(wg.ones(8, 64, 7, 7)).shape
    torch.Size([8, 64, 1, 1])
    """

    _function = staticmethod(adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Return the means of `output_size` windows of volumes: a number or a triple; None keeps a dim's size.

    >>> import wengert as wg
    >>> wg.nn.AdaptiveAvgPool3d((1, 2, None))(wg.ones(1, 2, 4, 4, 3)).shape
    torch.Size([1, 2, 1, 2, 3])
    """

    _function = staticmethod(adaptive_avg_pool3d)
