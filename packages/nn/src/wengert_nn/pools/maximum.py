"""Max pooling layers, and the layers that put the maxima back where they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import max_pool1d, max_pool2d, max_pool3d

from wengert_nn.base.utils import _ntuple
from wengert_nn.functional.unpooling import max_unpool1d, max_unpool2d, max_unpool3d
from wengert_nn.modules.module import Module

Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


class _MaxPoolNd(Module):
    """The base class of max poolings. Sizes stay as they are passed: numbers or tuples."""

    __constants__: ClassVar[list[str]] = [
        "kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode",
    ]  # fmt: skip
    _function: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride: Sizes = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Return the largest element of each window, and with `return_indices` also their indices."""
        return self._function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Return the largest element of each window along the last dim.

    kernel_size: the window's length. stride: the step from window to window, the length by default. padding: how many
    elements of minus infinity are thought at both ends, at most half a window. dilation: the step from element to
    element of a window. return_indices: whether the indices are returned too, as ``MaxUnpool1d`` needs them.
    ceil_mode: whether a last window may reach over the end.
    input: ``(N, C, L)`` or ``(C, L)``.

    >>> import wengert as wg
    >>> wg.nn.MaxPool1d(2)(wg.tensor([[1.0, 3.0, 2.0, 5.0]]))
    tensor([[3., 5.]])
    """

    _function = staticmethod(max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """Return the largest element of each window of images.

    Arguments are those of ``MaxPool1d``; sizes are numbers or pairs, height first.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.MaxPool2d((3, 2), stride=(2, 1))(wg.zeros(20, 16, 50, 32)).shape
    torch.Size([20, 16, 24, 31])
    """

    _function = staticmethod(max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """Return the largest element of each window of volumes.

    Arguments are those of ``MaxPool1d``; sizes are numbers or triples, depth first.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.MaxPool3d(3, stride=2)(wg.zeros(1, 2, 5, 7, 9)).shape
    torch.Size([1, 2, 2, 3, 4])
    """

    _function = staticmethod(max_pool3d)


class _MaxUnpoolNd(Module):
    """The base class of the inverses of max poolings. Sizes are tuples."""

    _num_spatial_dims: ClassVar[int]
    _function: ClassVar[Callable[..., Tensor]]

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        tuple_of = _ntuple(self._num_spatial_dims)
        self.kernel_size: tuple[int, ...] = tuple_of(kernel_size)
        self.stride: tuple[int, ...] = tuple_of(kernel_size if stride is None else stride)
        self.padding: tuple[int, ...] = tuple_of(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Put the elements of a pooling's result back where they were, with zeros elsewhere."""
        return self._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Put the elements of ``MaxPool1d``'s result back where they were, with zeros elsewhere.

    kernel_size, stride, padding: those of the pooling. The input and the indices are what the pooling with
    `return_indices` returns; ``output_size=`` is the size of its input, where several sizes have the same result.

    >>> import wengert as wg
    >>> values, indices = wg.nn.MaxPool1d(2, return_indices=True)(wg.tensor([[1.0, 3.0, 2.0, 5.0]]))
    >>> wg.nn.MaxUnpool1d(2)(values, indices)
    tensor([[0., 3., 0., 5.]])
    """

    _num_spatial_dims = 1
    _function = staticmethod(max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """Put the elements of ``MaxPool2d``'s result back where they were; see ``MaxUnpool1d``.

    >>> import wengert as wg
    >>> values, indices = wg.nn.MaxPool2d(2, return_indices=True)(wg.arange(4.0).reshape(1, 2, 2))
    >>> wg.nn.MaxUnpool2d(2)(values, indices)
    tensor([[[0., 0.],
             [0., 3.]]])
    """

    _num_spatial_dims = 2
    _function = staticmethod(max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """Put the elements of ``MaxPool3d``'s result back where they were; see ``MaxUnpool1d``.

    >>> import wengert as wg
    >>> values, indices = wg.nn.MaxPool3d(2, return_indices=True)(wg.rand(1, 3, 4, 6, 8))
    >>> wg.nn.MaxUnpool3d(2)(values, indices).shape
    torch.Size([1, 3, 4, 6, 8])
    """

    _num_spatial_dims = 3
    _function = staticmethod(max_unpool3d)
