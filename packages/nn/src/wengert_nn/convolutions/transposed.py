"""Transposed convolution layers over one to three spatial dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert import Tensor
from wengert.nn.functional import conv_transpose1d, conv_transpose2d, conv_transpose3d

from wengert_nn.base.utils import _ntuple
from wengert_nn.convolutions.base import Sizes, _ConvNd


class _ConvTransposeNd(_ConvNd):
    """The base class of transposed convolutions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(
                f'Only "zeros" padding mode is supported for {type(self).__name__}, got {padding_mode!r}'
            )
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(
        self,
        input: Tensor,
        output_size: Sequence[int] | None,
        stride: Sequence[int],
        padding: Sequence[int],
        kernel_size: Sequence[int],
        num_spatial_dims: int,
        dilation: Sequence[int] | None = None,
    ) -> Sequence[int]:
        """Return how much longer each dim becomes than the least that the input can come from."""
        if output_size is None:
            return self.output_padding
        others = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) == others + num_spatial_dims:
            output_size = output_size[others:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(
                f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must have {num_spatial_dims} "
                f"or {others + num_spatial_dims} elements (got {len(output_size)})"
            )
        steps = dilation or (1,) * num_spatial_dims
        least = [
            (input.size(others + d) - 1) * stride[d] - 2 * padding[d] + steps[d] * (kernel_size[d] - 1) + 1
            for d in range(num_spatial_dims)
        ]
        most = [size + step - 1 for size, step in zip(least, stride, strict=True)]
        extra = [size - low for size, low in zip(output_size, least, strict=True)]
        if any(not 0 <= more < step for more, step in zip(extra, stride, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return extra


class _ConvTranspose(_ConvTransposeNd):
    """The base class of transposed convolutions with PyTorch's order of arguments."""

    def __init__(
        self,
        in_channels: int,
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
        tuple_of = _ntuple(self._num_spatial_dims)
        super().__init__(
            in_channels, out_channels, tuple_of(kernel_size), tuple_of(stride), tuple_of(padding),
            tuple_of(dilation), True, tuple_of(output_padding), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Convolve; `output_size` chooses among the sizes that a convolution maps to the input's size."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for {type(self).__name__}")
        if not isinstance(self.padding, tuple):
            raise AssertionError("self.padding must be a tuple")
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._num_spatial_dims, self.dilation
        )
        return self._function(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTranspose):
    """Map as the gradient of ``Conv1d`` with respect to its input does: a convolution that lengthens.

    in_channels, out_channels: sizes of the dim of channels. kernel_size, stride, padding, dilation: those of the
    convolution whose gradient it is. output_padding: how much longer the result becomes, as `stride` lengths have the
    same convolution. groups, bias: see ``Conv1d``.
    input: ``(N, C, L)`` or ``(C, L)``; output: ``(N, C_out, L_out)`` with
    ``L_out = (L - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``; another size that
    the convolution maps to the input's can be asked for by ``output_size=``.
    weight: ``(in_channels, out_channels / groups, kernel_size)``; bias: ``(out_channels,)``; see ``Conv1d``.

    >>> import wengert as wg
    >>> down = wg.nn.Conv1d(16, 16, 3, stride=2, padding=1)
    >>> up = wg.nn.ConvTranspose1d(16, 16, 3, stride=2, padding=1)
    >>> x = wg.zeros(1, 16, 12)
    >>> up(down(x)).shape, up(down(x), output_size=x.size()).shape
    (torch.Size([1, 16, 11]), torch.Size([1, 16, 12]))
    """

    _num_spatial_dims = 1
    _function = staticmethod(conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """Map as the gradient of ``Conv2d`` with respect to its input does: a convolution that enlarges images.

    Arguments are those of ``ConvTranspose1d``; sizes are numbers or pairs, height first.

    >>> import wengert as wg
    >>> wg.nn.ConvTranspose2d(16, 33, (3, 5), stride=(2, 1), padding=(4, 2))(wg.zeros(2, 16, 50, 100)).shape
    torch.Size([2, 33, 93, 100])
    """

    _num_spatial_dims = 2
    _function = staticmethod(conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """Map as the gradient of ``Conv3d`` with respect to its input does: a convolution that enlarges volumes.

    Arguments are those of ``ConvTranspose1d``; sizes are numbers or triples, depth first.

    >>> import wengert as wg
    >>> wg.nn.ConvTranspose3d(2, 3, 3, stride=2)(wg.zeros(1, 2, 2, 3, 4)).shape
    torch.Size([1, 3, 5, 7, 9])
    """

    _num_spatial_dims = 3
    _function = staticmethod(conv_transpose3d)
