"""The parts that all convolution layers have: parameters, checks of arguments, the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import wengert
from wengert import Tensor

from wengert_nn import init
from wengert_nn.base.utils import _reverse_repeat_tuple
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter

PADDINGS = {"same", "valid"}
PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}
Sizes = int | Sequence[int]
"""A number for all spatial dims, or one for each."""


class _ConvNd(Module):
    """The base class of convolutions: parameters, checks, and the text. Sizes are tuples, one number for each dim.

    Attributes are PyTorch's; ``_reversed_padding_repeated_twice`` is the padding as ``pad`` expects it.
    """

    __constants__: ClassVar[list[str]] = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    ]  # fmt: skip
    _num_spatial_dims: ClassVar[int]
    _function: ClassVar[Callable[..., Tensor]]
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        check_groups(groups, in_channels, out_channels)
        check_padding(padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = explicit_padding(padding, dilation, kernel_size)
        self.weight = Parameter(wengert.empty(self._weight_shape(), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(wengert.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        """Return the shape of the weight: outputs first, or inputs first for a transposed convolution."""
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return (first, second // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, in the order of their elements whatever the weight's memory format is."""
        weight = self.weight
        if weight.is_contiguous():
            init.reset_affine(weight, self.bias)
            return
        with wengert.no_grad():
            drawn = wengert.empty_like(weight, memory_format=wengert.contiguous_format)
            init.reset_affine(drawn, self.bias)
            weight.copy_(drawn)

    def extra_repr(self) -> str:
        """Return the sizes, and the options that are not the defaults."""
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        for name, default in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (default,) * len(value):
                parts.append(f"{name}={value}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


def check_groups(groups: int, in_channels: int, out_channels: int) -> None:
    """Raise the error for channels that do not divide into groups."""
    if groups <= 0:
        raise ValueError(f"groups must be a positive integer, got {groups}")
    for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
        if channels % groups != 0:
            raise ValueError(f"{name} must be divisible by groups: got {name} {channels} and groups {groups}")


def check_padding(padding: str | tuple[int, ...], stride: tuple[int, ...], padding_mode: str) -> None:
    """Raise the error for a padding that there is not."""
    if isinstance(padding, str):
        if padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {PADDINGS}")
        if padding == "same" and any(step != 1 for step in stride):
            raise ValueError(f"padding='same' is not supported for strided convolutions, got stride {stride}")
    if padding_mode not in PADDING_MODES:
        raise ValueError(f"padding_mode must be one of {PADDING_MODES}, but got padding_mode='{padding_mode}'")


def explicit_padding(
    padding: str | tuple[int, ...], dilation: tuple[int, ...], kernel_size: tuple[int, ...]
) -> Sequence[int]:
    """Return the padding before and after each dim, the last dim first."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    result: list[int] = []
    for step, size in zip(reversed(dilation), reversed(kernel_size), strict=False):
        total = step * (size - 1) if padding == "same" else 0
        result += [total // 2, total - total // 2]
    return result
