"""Max pooling layers whose windows lie at random distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from wengert import Tensor

from wengert_nn.base.utils import _ntuple
from wengert_nn.functional.fractional import fractional_max_pool2d, fractional_max_pool3d
from wengert_nn.modules.module import Module

Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


class _FractionalMaxPoolNd(Module):
    """The base class of fractional max poolings."""

    __constants__: ClassVar[list[str]] = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _num_spatial_dims: ClassVar[int]
    _function: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name, tuple_of = type(self).__name__, _ntuple(self._num_spatial_dims)
        self.kernel_size: tuple[int, ...] = tuple_of(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size: tuple[int, ...] | None = None if output_size is None else tuple_of(output_size)
        self.output_ratio: tuple[float, ...] | None = None if output_ratio is None else tuple_of(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError(f"{name}: only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """Return the largest element of each window, and with `return_indices` also their indices."""
        return self._function(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Return the largest elements of windows of images, which lie at random distances.

    kernel_size: height and width of a window. output_size: their number, or output_ratio: its ratio to the image's
    size. return_indices: whether the indices are returned too. _random_samples: numbers that choose the windows, see
    ``fractional_max_pool2d``.

    >>> import wengert as wg
    >>> wg.nn.FractionalMaxPool2d(3, output_ratio=(0.5, 0.25))(wg.rand(1, 2, 16, 16)).shape
    torch.Size([1, 2, 8, 4])
    """

    _num_spatial_dims = 2
    _function = staticmethod(fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Return the largest elements of windows of volumes, which lie at random distances; see ``FractionalMaxPool2d``.

    >>> import wengert as wg
    >>> wg.nn.FractionalMaxPool3d(2, output_size=(3, 3, 5))(wg.rand(1, 2, 6, 6, 8)).shape
    torch.Size([1, 2, 3, 3, 5])
    """

    _num_spatial_dims = 3
    _function = staticmethod(fractional_max_pool3d)

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        if any(size <= 0 for size in _ntuple(3)(kernel_size)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)
