"""Layers that multiply by matrices: Linear, Bilinear, and the identity."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import wengert
from wengert import Tensor
from wengert.nn.functional import bilinear, linear

from wengert_nn import init
from wengert_nn.modules.lazy import LazyModuleMixin
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter, UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear", "NonDynamicallyQuantizableLinear"]


class Identity(Module):
    """Return the input. Takes any arguments, so that it can stand in for any layer.

    >>> import wengert as wg
    >>> wg.nn.Identity(54, unused=0.1)(wg.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Linear(Module):
    """Compute ``input @ weight.T + bias``.

    in_features, out_features: sizes of the last dim of the input and of the output.
    bias: whether something is added. device, dtype: those of the parameters.
    weight: ``(out_features, in_features)``; bias: ``(out_features,)``; both are drawn from
    ``uniform(-1 / sqrt(in_features), 1 / sqrt(in_features))``.

    >>> import wengert as wg
    >>> layer = wg.nn.Linear(20, 30)
    >>> layer(wg.zeros(128, 20)).shape
    torch.Size([128, 30])
    """

    __constants__: ClassVar[list[str]] = ["in_features", "out_features"]
    in_features: int
    out_features: int
    weight: Tensor

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(wengert.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias: Any = Parameter(wengert.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Compute the affine map of the last dim. See Note [Parameters in forward]."""
        parameters = self._parameters
        try:
            weight, bias = parameters["weight"], parameters["bias"]
        except KeyError:
            weight, bias = self.weight, self.bias
        return linear(input, weight, bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


# Note [Parameters in forward]
#     ``self.weight`` ends in ``__getattr__``, which costs more than a product of small matrices. So layers that are
#     called often read the table. A parametrization moves the parameter elsewhere and computes the attribute: then the
#     table has no such name, and the attribute is asked.


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear of its own class: PyTorch's quantization leaves it alone. Attention has one."""


class Bilinear(Module):
    """Compute ``output[..., o] = input1[..., i] * weight[o, i, j] * input2[..., j] + bias[o]``, summed over i and j.

    in1_features, in2_features, out_features: sizes of the last dims. bias: whether something is added.
    weight: ``(out_features, in1_features, in2_features)``; bias: ``(out_features,)``; both are drawn from
    ``uniform(-1 / sqrt(in1_features), 1 / sqrt(in1_features))``.

    >>> import wengert as wg
    >>> wg.nn.Bilinear(20, 30, 40)(wg.zeros(128, 20), wg.zeros(128, 30)).shape
    torch.Size([128, 40])
    """

    __constants__: ClassVar[list[str]] = ["in1_features", "in2_features", "out_features"]
    in1_features: int
    in2_features: int
    out_features: int
    weight: Tensor

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(wengert.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias: Any = Parameter(wengert.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Compute the bilinear map of the last dims."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that takes ``in_features`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyLinear(3)
    >>> _ = layer(wg.ones(2, 5))
    >>> layer.weight.shape
    torch.Size([3, 5])
    """

    cls_to_become: type[Any] | None = Linear
    in_features: int
    weight: UninitializedParameter
    bias: UninitializedParameter

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, once they are there."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for an input, or take the size from the parameters that a state has given."""
        size = input.shape[-1]
        if self.has_uninitialized_params():
            self.in_features = size
            with wengert.no_grad():
                self.weight.materialize((self.out_features, size))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if size != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {size} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = size
