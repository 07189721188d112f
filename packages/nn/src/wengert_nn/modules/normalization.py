"""Normalization over the last dims, over groups of channels, and over neighboring channels."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert
from wengert import Tensor
from wengert.nn.functional import group_norm, layer_norm, rms_norm

from wengert_nn import init
from wengert_nn.functional.channels import local_response_norm
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class Affine(Module):
    """The base class of normalizations whose result is multiplied by a weight and added to a bias."""

    def _make_affine(self, shape: Any, weight: bool, bias: bool, device: Any, dtype: Any) -> None:
        """Make the parameters that are wanted."""
        for name, is_there in (("weight", weight), ("bias", weight and bias)):
            value = Parameter(wengert.empty(shape, device=device, dtype=dtype)) if is_there else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)


def as_shape(normalized_shape: Any) -> tuple[int, ...]:
    """Return the shape of the last dims, which may be one number."""
    return (int(normalized_shape),) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)


class LayerNorm(Affine):
    """Compute ``(input - mean) / sqrt(var + eps) * weight + bias``, with mean and variance over the last dims.

    normalized_shape: the sizes of these dims, or the size of the last one. eps: keeps the root from 0.
    elementwise_affine: whether there are weight and bias, both of shape `normalized_shape`. bias: whether there is one.
    Source: Ba and others, Layer normalization, 2016.

    >>> import wengert as wg
    >>> wg.nn.LayerNorm(2)(wg.tensor([[1.0, 3.0], [0.0, 4.0]])).detach()
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Normalize the last dims."""
        parameters = self._parameters
        try:
            weight, bias = parameters["weight"], parameters["bias"]
        except KeyError:
            weight, bias = self.weight, self.bias
        return layer_norm(input, self.normalized_shape, weight, bias, self.eps)

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Affine):
    """Compute ``(input - mean) / sqrt(var + eps) * weight + bias``, with mean and variance over groups of channels.

    num_groups: into how many groups the channels of ``(N, C, ...)`` are divided; each sample has its own statistics.
    num_channels: C. eps: keeps the root from 0. affine: whether there are weight and bias, of shape ``(C,)``.
    bias: whether there is one. Raises ValueError where `num_groups` does not divide `num_channels`.
    Source: Wu and He, Group normalization, 2018.

    >>> import wengert as wg
    >>> wg.nn.GroupNorm(2, 4)(wg.tensor([[1.0, 3.0, 5.0, 5.0]])).detach()
    tensor([[-1.0000,  1.0000,  0.0000,  0.0000]])
    """

    __constants__: ClassVar[list[str]] = ["num_groups", "num_channels", "eps", "affine"]
    num_groups: int
    num_channels: int
    eps: float
    affine: bool

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_affine(num_channels, affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Normalize groups of channels."""
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Compute ``input / sqrt(mean(input ** 2) + eps) * weight``, with the mean over the last dims.

    normalized_shape: the sizes of these dims, or the size of the last one. eps: keeps the root from 0; None: the
    smallest step of the input's dtype at 1. elementwise_affine: whether there is a weight.
    Source: Zhang and Sennrich, Root mean square layer normalization, 2019.

    >>> import wengert as wg
    >>> wg.nn.RMSNorm(2)(wg.tensor([3.0, 3.0])).detach()
    tensor([1., 1.])
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]
    normalized_shape: tuple[int, ...]
    eps: float | None
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight: Any = Parameter(wengert.empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Normalize the last dims."""
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class Neighbors(Module):
    """The base class of normalizations by neighboring channels: their options."""

    size: int
    alpha: float
    beta: float
    k: float

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def extra_repr(self) -> str:
        """Return the options."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(Neighbors):
    """Compute ``input / (k + alpha * mean) ** beta``, with the mean of the squares of `size` neighboring channels.

    The input is ``(N, C, ...)``; channels that are not there count as 0.
    Source: Krizhevsky and others, ImageNet classification with deep convolutional neural networks, 2012.

    >>> import wengert as wg
    >>> wg.nn.LocalResponseNorm(2, alpha=1.0, beta=1.0)(wg.ones(1, 2, 1)).flatten()
    tensor([0.6667, 0.5000])
    """

    __constants__: ClassVar[list[str]] = ["size", "alpha", "beta", "k"]

    def forward(self, input: Tensor) -> Tensor:
        """Divide by a power of the mean."""
        return local_response_norm(input, self.size, self.alpha, self.beta, self.k)


class CrossMapLRN2d(Neighbors):
    """Compute ``input / (k + alpha / size * sum) ** beta``, with the sum of the squares of neighboring channels.

    The input is ``(N, C, H, W)``. The neighbors are the channels at a distance of at most ``(size - 1) // 2``, and the
    first channel, which PyTorch counts for all. Its gradient there leaves it out; here it is that of the values.

    >>> import wengert as wg
    >>> wg.nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0)(wg.ones(1, 2, 1, 1)).flatten()
    tensor([0.3333, 0.3333])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """Divide by a power of the sum."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        channels = wengert.arange(input.shape[1], device=input.device)
        reach = int((self.size - 1) / 2 + 1)
        is_near = (channels.unsqueeze(1) - channels).abs() < reach
        counts = (is_near | (channels == 0)).to(input.dtype)
        sums = (counts @ (input * input).flatten(2)).view_as(input)
        return input * (sums * (self.alpha / self.size) + self.k) ** -self.beta
