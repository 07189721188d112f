"""Layers that take the mean, or the norm, of windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import avg_pool1d, avg_pool2d, avg_pool3d

from wengert_nn.base.utils import _single
from wengert_nn.functional.pooling import lp_pool1d, lp_pool2d, lp_pool3d
from wengert_nn.modules.module import Module

Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


class _AvgPoolNd(Module):
    """The base class of average poolings."""

    __constants__: ClassVar[list[str]] = [
        "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad",
    ]  # fmt: skip

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """Return the mean of each window along the last dim.

    kernel_size: the window's length. stride: the step from window to window, the length by default. padding: zeros at
    both ends. ceil_mode: whether a last window may reach over the end. count_include_pad: whether zeros of the padding
    count for the mean.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.AvgPool1d(3, stride=2)(wg.tensor([[[1.0, 2, 3, 4, 5, 6, 7]]]))
    tensor([[[2., 4., 6.]]])
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size: tuple[int, ...] = _single(kernel_size)
        self.stride: tuple[int, ...] = _single(kernel_size if stride is None else stride)
        self.padding: tuple[int, ...] = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Compute the means."""
        return avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPool(_AvgPoolNd):
    """The base class of average poolings over two and three dims. Sizes stay as they are passed."""

    __constants__: ClassVar[list[str]] = [*_AvgPoolNd.__constants__, "divisor_override"]
    _function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride: Sizes = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Compute the means."""
        return self._function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


class AvgPool2d(_AvgPool):
    """Return the mean of each window of images.

    Arguments are those of ``AvgPool1d``; sizes are numbers or pairs, height first. divisor_override: what sums are
    divided by, instead of the number of elements.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.AvgPool2d((3, 2), stride=(2, 1))(wg.zeros(20, 16, 50, 32)).shape
    torch.Size([20, 16, 24, 31])
    """

    _function = staticmethod(avg_pool2d)


class AvgPool3d(_AvgPool):
    """Return the mean of each window of volumes.

    Arguments are those of ``AvgPool2d``; sizes are numbers or triples, depth first.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.AvgPool3d(3, stride=2)(wg.zeros(1, 2, 5, 7, 9)).shape
    torch.Size([1, 2, 2, 3, 4])
    """

    _function = staticmethod(avg_pool3d)

    def __setstate__(self, d: dict[str, Any]) -> None:
        super().__setstate__(d)
        for name, default in (("padding", 0), ("ceil_mode", False), ("count_include_pad", True)):
            self.__dict__.setdefault(name, default)


class _LPPoolNd(Module):
    """The base class of poolings by a norm."""

    __constants__: ClassVar[list[str]] = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    _function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Compute the norms."""
        return self._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        """Return the exponent and the sizes."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """Return the norm ``sum(x ** p) ** (1 / p)`` of each window along the last dim.

    norm_type: the exponent p; infinity gives the largest absolute value. kernel_size, stride, ceil_mode: see
    ``AvgPool1d``.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.LPPool1d(2, 2)(wg.tensor([[3.0, 4.0, 6.0, 8.0]]))
    tensor([[ 5., 10.]])
    """

    _function = staticmethod(lp_pool1d)


class LPPool2d(_LPPoolNd):
    """Return the norm of each window of images; see ``LPPool1d``.

    >>> import wengert as wg
    >>> wg.nn.LPPool2d(2, 2)(wg.ones(1, 2, 4)).flatten()
    tensor([2., 2.])
    """

    _function = staticmethod(lp_pool2d)


class LPPool3d(_LPPoolNd):
    """Return the norm of each window of volumes; see ``LPPool1d``.

    >>> import wengert as wg
    >>> wg.nn.LPPool3d(1, 2)(wg.ones(1, 2, 2, 4)).flatten()
    tensor([8., 8.])
    """

    _function = staticmethod(lp_pool3d)
