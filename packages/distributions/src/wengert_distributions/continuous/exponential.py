"""The exponential distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.base.exp_family import ExponentialFamily

__all__ = ["Exponential"]


class Exponential(Elementwise, ExponentialFamily, parameters=("rate",)):
    """The exponential distribution, with the density rate exp(-rate x) for x >= 0.

    rate: the inverse of the mean.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Exponential(2.0).log_prob(wg.tensor([0.0, 1.0]))
    tensor([ 0.6931, -1.3069])
    """

    rate: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"rate": constraints.positive}
    support: ClassVar[constraints.Constraint] = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set_parameters(rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """1 / rate."""
        return self.rate.reciprocal()

    stddev = mean

    @property
    def mode(self) -> Tensor:
        """0."""
        return wg.zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        """1 / rate**2."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the rate."""
        shape = self._extended_shape(sample_shape)
        return self.rate.new_empty(shape).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """Return the entropy, 1 - log(rate)."""
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return -(-x).log()
