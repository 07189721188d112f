"""The uniform distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise

__all__ = ["Uniform"]


class Uniform(Elementwise, parameters=("low", "high")):
    """The uniform distribution between two bounds, ``[low, high)``.

    low, high: the bounds, numbers or tensors.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Uniform(0.0, wg.tensor([1.0, 4.0])).cdf(wg.tensor([0.5, 1.0]))
    tensor([0.5000, 0.2500])
    """

    low: Tensor
    high: Tensor
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set_parameters(low, high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraints of the bounds: each one is on its side of the other."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The interval between the bounds."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: no value is more likely than others."""
        return wg.nan * self.high

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        """The square of the width, by 12."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the bounds."""
        shape = self._extended_shape(sample_shape)
        u = wg.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, -infinity outside of the bounds."""
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """Return the entropy, the logarithm of the width."""
        return (self.high - self.low).log()
