"""Convolution layers over one to three spatial dims."""

from __future__ import annotations

from typing import Any

from wengert import Tensor
from wengert.nn.functional import conv1d, conv2d, conv3d, pad

from wengert_nn.base.utils import _ntuple
from wengert_nn.convolutions.base import Sizes, _ConvNd


class _Conv(_ConvNd):
    """The base class of convolutions that are not transposed."""

    def __init__(
        self,
        in_channels: int,
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
        tuple_of = _ntuple(self._num_spatial_dims)
        super().__init__(
            in_channels, out_channels, tuple_of(kernel_size), tuple_of(stride),
            padding if isinstance(padding, str) else tuple_of(padding), tuple_of(dilation), False, tuple_of(0),
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Convolve with another weight and bias."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._num_spatial_dims
        return self._function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """Convolve."""
        parameters = self._parameters  # see Note [Parameters in forward]
        try:
            weight, bias = parameters["weight"], parameters["bias"]
        except KeyError:
            weight, bias = self.weight, self.bias
        return self._conv_forward(input, weight, bias)


class Conv1d(_Conv):
    """Convolve along one dim: ``output[n, o] = bias[o] + sum(weight[o, c] * input[n, c])`` over channels and window.

    in_channels, out_channels: sizes of the dim of channels. kernel_size: the window's length. stride: the step from
    window to window. padding: how much is added at both ends, or "valid" (nothing) or "same" (as much as keeps the
    length). dilation: the step from element to element of a window. groups: the channels are divided into so many
    groups, which do not mix. bias: whether something is added. padding_mode: "zeros", "reflect", "replicate" or
    "circular". A number stands for a tuple of it.
    input: ``(N, C, L)`` or ``(C, L)``; output: ``(N, C_out, (L + 2 * padding - dilation * (kernel_size - 1) - 1) //
    stride + 1)``.
    weight: ``(out_channels, in_channels / groups, kernel_size)``; bias: ``(out_channels,)``; both are drawn uniformly
    within ``1 / sqrt(fan_in)``, where fan_in counts the weights for one output.

    >>> import wengert as wg
    >>> wg.nn.Conv1d(16, 33, 3, stride=2)(wg.zeros(20, 16, 50)).shape
    torch.Size([20, 33, 24])
    """

    _num_spatial_dims = 1
    _function = staticmethod(conv1d)


class Conv2d(_Conv):
    """Convolve images: ``output[n, o] = bias[o] + sum(weight[o, c] * input[n, c])`` over channels and window.

    Arguments are those of ``Conv1d``; sizes are numbers or pairs, height first.
    input: ``(N, C, H, W)`` or ``(C, H, W)``.
    weight: ``(out_channels, in_channels / groups, height, width)``; bias: ``(out_channels,)``.

    >>> import wengert as wg
    >>> wg.nn.Conv2d(16, 33, (3, 5), stride=(2, 1), padding=(4, 2))(wg.zeros(2, 16, 50, 100)).shape
    torch.Size([2, 33, 28, 100])
    >>> wg.nn.Conv2d(1, 4, 3, padding="same")
    Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1), padding=same)
    """

    _num_spatial_dims = 2
    _function = staticmethod(conv2d)


class Conv3d(_Conv):
    """Convolve volumes: ``output[n, o] = bias[o] + sum(weight[o, c] * input[n, c])`` over channels and window.

    Arguments are those of ``Conv1d``; sizes are numbers or triples, depth first.
    input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
    weight: ``(out_channels, in_channels / groups, depth, height, width)``; bias: ``(out_channels,)``.

    >>> import wengert as wg
    >>> wg.nn.Conv3d(2, 3, 3, stride=2)(wg.zeros(1, 2, 5, 7, 9)).shape
    torch.Size([1, 3, 2, 3, 4])
    """

    _num_spatial_dims = 3
    _function = staticmethod(conv3d)
