"""Convolution layers that take the number of channels from their first input."""

from __future__ import annotations

from typing import Any

from wengert import Tensor

from wengert_nn.convolutions.base import Sizes
from wengert_nn.convolutions.forward import Conv1d, Conv2d, Conv3d
from wengert_nn.convolutions.transposed import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from wengert_nn.modules.lazy import LazyModuleMixin
from wengert_nn.parameter import UninitializedParameter


class _LazyConvXdMixin(LazyModuleMixin):
    """The base class of lazy convolutions."""

    groups: int
    transposed: bool
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    weight: Any
    bias: Any
    _num_spatial_dims: int
    _weight_shape: Any

    def _make_uninitialized(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """Put parameters without a shape in the place of those for no channels."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, once they are there."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]  # the convolution's, the next of the bases

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Make the parameters for an input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError(
                f"in_channels must be divisible by groups: got in_channels {self.in_channels} and groups {self.groups}"
            )
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input: Tensor) -> int:
        """Return the number of channels of an input with or without a batch dim."""
        dims = self._get_num_spatial_dims() + 1
        if input.dim() not in (dims, dims + 1):
            raise RuntimeError(
                f"Expected {dims}D (unbatched) or {dims + 1}D (batched) input to {type(self).__name__}, but got input "
                f"of size: {input.shape}"
            )
        return input.shape[-dims]

    def _get_num_spatial_dims(self) -> int:
        return self._num_spatial_dims


class LazyConv(_LazyConvXdMixin):
    """The base class of lazy convolutions that are not transposed."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._make_uninitialized(out_channels, bias, device, dtype)


class LazyConvTranspose(_LazyConvXdMixin):
    """The base class of lazy transposed convolutions."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._make_uninitialized(out_channels, bias, device, dtype)


class LazyConv1d(LazyConv, Conv1d):
    """A ``Conv1d`` that takes ``in_channels`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyConv1d(4, 3)
    >>> layer(wg.zeros(1, 2, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 6]), 2)
    """

    cls_to_become: type[Any] | None = Conv1d


class LazyConv2d(LazyConv, Conv2d):
    """A ``Conv2d`` that takes ``in_channels`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyConv2d(4, 3)
    >>> layer(wg.zeros(1, 2, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 6, 6]), 2)
    """

    cls_to_become: type[Any] | None = Conv2d


class LazyConv3d(LazyConv, Conv3d):
    """A ``Conv3d`` that takes ``in_channels`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyConv3d(4, 3)
    >>> layer(wg.zeros(1, 2, 8, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 6, 6, 6]), 2)
    """

    cls_to_become: type[Any] | None = Conv3d


class LazyConvTranspose1d(LazyConvTranspose, ConvTranspose1d):
    """A ``ConvTranspose1d`` that takes ``in_channels`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyConvTranspose1d(4, 3)
    >>> layer(wg.zeros(1, 2, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 10]), 2)
    """

    cls_to_become: type[Any] | None = ConvTranspose1d


class LazyConvTranspose2d(LazyConvTranspose, ConvTranspose2d):
    """A ``ConvTranspose2d`` that takes ``in_channels`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyConvTranspose2d(4, 3)
    >>> layer(wg.zeros(1, 2, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 10, 10]), 2)
    """

    cls_to_become: type[Any] | None = ConvTranspose2d


class LazyConvTranspose3d(LazyConvTranspose, ConvTranspose3d):
    """A ``ConvTranspose3d`` that takes ``in_channels`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyConvTranspose3d(4, 3)
    >>> layer(wg.zeros(1, 2, 8, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 10, 10, 10]), 2)
    """

    cls_to_become: type[Any] | None = ConvTranspose3d
