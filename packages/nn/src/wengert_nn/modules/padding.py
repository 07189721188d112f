"""Layers that extend the last one to three dims at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import pad

from wengert_nn.base.utils import _ntuple
from wengert_nn.modules.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

Padding = int | Sequence[int]
"""The number of elements at all ends, or one for each: before and after the last dim, then the dim before it."""


class _Pad(Module):
    """The base class of paddings: how much is added at each end, and the mode."""

    __constants__: ClassVar[list[str]] = ["padding"]
    _num_spatial_dims: ClassVar[int]
    _mode: ClassVar[str]
    padding: tuple[int, ...]

    def __init__(self, padding: Padding) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._num_spatial_dims)(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Extend the last dims."""
        return pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """Return the padding."""
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    """The base class of circular paddings, which check the number of dims."""

    _mode = "circular"

    def _check_input_dim(self, input: Any) -> None:
        """Raise the error for an input with another number of dims, with or without the batch's."""
        least = self._num_spatial_dims + 1
        if input.dim() not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Extend the last dims."""
        self._check_input_dim(input)
        return super().forward(input)


class _ConstantPadNd(_Pad):
    """The base class of paddings with a constant."""

    __constants__: ClassVar[list[str]] = ["padding", "value"]
    value: float

    def __init__(self, padding: Padding, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Extend the last dims."""
        return pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the padding and the constant."""
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPadNd(_Pad):
    """The base class of paddings with reflected elements."""

    _mode = "reflect"


class _ReplicationPadNd(_Pad):
    """The base class of paddings with the outermost elements."""

    _mode = "replicate"


class _ZeroPad(_ConstantPadNd):
    """The base class of paddings with zeros."""

    def __init__(self, padding: Padding) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the padding."""
        return _Pad.extra_repr(self)


class CircularPad1d(_CircularPadNd):
    """Extend the last dim by elements from the other end, as if they went round.

    padding: a number for all ends, or ``(left, right)``. Negative numbers remove elements.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.CircularPad1d((2, 1))(wg.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 3., 1., 2., 3., 1.]])
    """

    _num_spatial_dims = 1


class CircularPad2d(_CircularPadNd):
    """Extend the last two dims by elements from the other end, as if they went round.

    padding: a number for all ends, or ``(left, right, top, bottom)``. Negative numbers remove elements.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.CircularPad2d(1)(wg.ones(1, 4, 4)).shape
    torch.Size([1, 6, 6])
    """

    _num_spatial_dims = 2


class CircularPad3d(_CircularPadNd):
    """Extend the last three dims by elements from the other end, as if they went round.

    padding: a number for all ends, or ``(left, right, top, bottom, front, back)``. Negative numbers remove elements.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.CircularPad3d(1)(wg.ones(1, 4, 4, 4)).shape
    torch.Size([1, 6, 6, 6])
    """

    _num_spatial_dims = 3


class ConstantPad1d(_ConstantPadNd):
    """Extend the last dim by a constant.

    padding: a number for all ends, or ``(left, right)``. Negative numbers remove elements.
    value: the constant.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.ConstantPad1d((2, 1), 7.0)(wg.tensor([[1.0, 2.0, 3.0]]))
    tensor([[7., 7., 1., 2., 3., 7.]])
    """

    _num_spatial_dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Extend the last two dims by a constant.

    padding: a number for all ends, or ``(left, right, top, bottom)``. Negative numbers remove elements.
    value: the constant.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ConstantPad2d(1, 0.5)(wg.ones(1, 4, 4)).shape
    torch.Size([1, 6, 6])
    """

    _num_spatial_dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Extend the last three dims by a constant.

    padding: a number for all ends, or ``(left, right, top, bottom, front, back)``. Negative numbers remove elements.
    value: the constant.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ConstantPad3d(1, 0.5)(wg.ones(1, 4, 4, 4)).shape
    torch.Size([1, 6, 6, 6])
    """

    _num_spatial_dims = 3


class ReflectionPad1d(_ReflectionPadNd):
    """Extend the last dim by the elements reflected at the ends, which are not repeated.

    padding: a number for all ends, or ``(left, right)``. Negative numbers remove elements.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.ReflectionPad1d((2, 1))(wg.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 2., 1., 2., 3., 2.]])
    """

    _num_spatial_dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Extend the last two dims by the elements reflected at the ends, which are not repeated.

    padding: a number for all ends, or ``(left, right, top, bottom)``. Negative numbers remove elements.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ReflectionPad2d(1)(wg.ones(1, 4, 4)).shape
    torch.Size([1, 6, 6])
    """

    _num_spatial_dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Extend the last three dims by the elements reflected at the ends, which are not repeated.

    padding: a number for all ends, or ``(left, right, top, bottom, front, back)``. Negative numbers remove elements.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ReflectionPad3d(1)(wg.ones(1, 4, 4, 4)).shape
    torch.Size([1, 6, 6, 6])
    """

    _num_spatial_dims = 3


class ReplicationPad1d(_ReplicationPadNd):
    """Extend the last dim by copies of the outermost elements.

    padding: a number for all ends, or ``(left, right)``. Negative numbers remove elements.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.ReplicationPad1d((2, 1))(wg.tensor([[1.0, 2.0, 3.0]]))
    tensor([[1., 1., 1., 2., 3., 3.]])
    """

    _num_spatial_dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Extend the last two dims by copies of the outermost elements.

    padding: a number for all ends, or ``(left, right, top, bottom)``. Negative numbers remove elements.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ReplicationPad2d(1)(wg.ones(1, 4, 4)).shape
    torch.Size([1, 6, 6])
    """

    _num_spatial_dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Extend the last three dims by copies of the outermost elements.

    padding: a number for all ends, or ``(left, right, top, bottom, front, back)``. Negative numbers remove elements.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ReplicationPad3d(1)(wg.ones(1, 4, 4, 4)).shape
    torch.Size([1, 6, 6, 6])
    """

    _num_spatial_dims = 3


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Extend the last dim by zeros.

    padding: a number for all ends, or ``(left, right)``. Negative numbers remove elements.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.ZeroPad1d((2, 1))(wg.tensor([[1.0, 2.0, 3.0]]))
    tensor([[0., 0., 1., 2., 3., 0.]])
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Extend the last two dims by zeros.

    padding: a number for all ends, or ``(left, right, top, bottom)``. Negative numbers remove elements.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ZeroPad2d(1)(wg.ones(1, 4, 4)).shape
    torch.Size([1, 6, 6])
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Extend the last three dims by zeros.

    padding: a number for all ends, or ``(left, right, top, bottom, front, back)``. Negative numbers remove elements.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.ZeroPad3d(1)(wg.ones(1, 4, 4, 4)).shape
    torch.Size([1, 6, 6, 6])
    """
