"""Activations that are linear in pieces, or on one side of zero."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import wengert
from wengert import Tensor, relu, relu_
from wengert.nn.functional import celu, elu, hardtanh, leaky_relu, prelu, rrelu, selu, threshold

from wengert_nn import init as initial_values
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter


class Inplace(Module):
    """The base class of activations with one option: whether the input itself is changed."""

    __constants__: ClassVar[list[str]] = ["inplace"]
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the option if it is set."""
        return "inplace=True" if self.inplace else ""

    def _with_inplace(self, text: str) -> str:
        """Return the text of other options with this one if it is set."""
        return f"{text}, inplace=True" if self.inplace else text


class Threshold(Inplace):
    """Return x where it is above a threshold, and a constant elsewhere.

    inplace: whether the input itself is changed; so in all activations that have it.

    >>> import wengert as wg
    >>> wg.nn.Threshold(0.1, 20)(wg.tensor([0.0, 0.5]))
    tensor([20.0000,  0.5000])
    """

    __constants__: ClassVar[list[str]] = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return self._with_inplace(f"threshold={self.threshold}, value={self.value}")


class ReLU(Inplace):
    """Return ``max(0, x)``.

    >>> import wengert as wg
    >>> wg.nn.ReLU()(wg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return relu_(input) if self.inplace else relu(input)


class RReLU(Inplace):
    """Return x where it is positive, and ``a * x`` elsewhere, with a random slope a.

    lower, upper: the slope is uniform between them while training, and their mean otherwise.
    Source: Xu and others, Empirical evaluation of rectified activations in convolutional network, arXiv:1505.00853.

    >>> import wengert as wg
    >>> wg.nn.RReLU(0.1, 0.3).eval()(wg.tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000])
    """

    __constants__: ClassVar[list[str]] = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return self._with_inplace(f"lower={self.lower}, upper={self.upper}")


class Hardtanh(Inplace):
    """Return x, but at least `min_val` and at most `max_val`.

    min_value, max_value: deprecated names of these.

    >>> import wengert as wg
    >>> wg.nn.Hardtanh(-2, 2)(wg.tensor([-3.0, 1.0, 5.0]))
    tensor([-2.,  1.,  2.])
    """

    __constants__: ClassVar[list[str]] = ["min_val", "max_val", "inplace"]

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__(inplace)
        for name, value in (("min", min_value), ("max", max_value)):
            if value is not None:
                warnings.warn(
                    f"keyword argument `{name}_value` is deprecated and renamed to `{name}_val`",
                    FutureWarning,
                    stacklevel=2,
                )
        self.min_val: float = min_val if min_value is None else min_value
        self.max_val: float = max_val if max_value is None else max_value
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return self._with_inplace(f"min_val={self.min_val}, max_val={self.max_val}")


class ReLU6(Hardtanh):
    """Return ``min(max(0, x), 6)``.

    >>> import wengert as wg
    >>> wg.nn.ReLU6()(wg.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Return the option if it is set."""
        return Inplace.extra_repr(self)


class LeakyReLU(Inplace):
    """Return x where it is positive, and ``negative_slope * x`` elsewhere.

    >>> import wengert as wg
    >>> wg.nn.LeakyReLU(0.1)(wg.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    __constants__: ClassVar[list[str]] = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return self._with_inplace(f"negative_slope={self.negative_slope}")


class PReLU(Module):
    """Return x where it is positive, and ``weight * x`` elsewhere, with a slope that is learned.

    num_parameters: 1, or the number of channels, the second dim, each of which has its slope then.
    init: the slope at the beginning. device, dtype: those of the parameter `weight`.

    >>> import wengert as wg
    >>> wg.nn.PReLU()(wg.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    __constants__: ClassVar[list[str]] = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight: Tensor = Parameter(wengert.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to their initial value."""
        initial_values.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of slopes."""
        return f"num_parameters={self.num_parameters}"


class ELU(Inplace):
    """Return x where it is positive, and ``alpha * (exp(x) - 1)`` elsewhere.

    Source: Clevert and others, Fast and accurate deep network learning by exponential linear units, arXiv:1511.07289.

    >>> import wengert as wg
    >>> wg.nn.ELU()(wg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    __constants__: ClassVar[list[str]] = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return self._with_inplace(f"alpha={self.alpha}")


class CELU(Inplace):
    """Return ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``.

    Source: Barron, Continuously differentiable exponential linear units, arXiv:1704.07483.

    >>> import wengert as wg
    >>> wg.nn.CELU(2.0)(wg.tensor([-1.0, 2.0]))
    tensor([-0.7869,  2.0000])
    """

    __constants__: ClassVar[list[str]] = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return self._with_inplace(f"alpha={self.alpha}")


class SELU(Inplace):
    """Return ``scale * ELU(x)`` with the two constants that keep mean 0 and variance 1 through many layers.

    Source: Klambauer and others, Self-normalizing neural networks, arXiv:1706.02515.

    >>> import wengert as wg
    >>> wg.nn.SELU()(wg.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return selu(input, self.inplace)
