"""The generalized Pareto distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Elementwise, parameters=("loc", "scale", "concentration")):
    """The generalized Pareto distribution, of what exceeds a high threshold.

    The probability of more than x is (1 + concentration (x - loc) / scale)**(-1 / concentration), and
    exp(-(x - loc) / scale) for the concentration 0.

    loc: the smallest value.   scale: the scale.   concentration: how heavy the tail is; where it is negative, values
    have an upper bound.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.GeneralizedPareto(0.0, 1.0, 0.5).cdf(wg.tensor([0.0, 2.0]))
    tensor([0.0000, 0.7500])
    """

    loc: Tensor
    scale: Tensor
    concentration: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set_parameters(loc, scale, concentration), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The interval from the location to the upper bound."""
        upper = wg.where(self.concentration < 0, self.loc - self.scale / self.concentration, wg.inf)
        return constraints.interval(self.loc, upper)

    @property
    def mean(self) -> Tensor:
        """loc + scale / (1 - concentration); NaN for a concentration from 1 on."""
        exists = self.concentration < 1
        shape = wg.where(exists, self.concentration, 0.5)
        return wg.where(exists, self.loc + self.scale / (1 - shape), wg.nan)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean; NaN for a concentration from 1/2 on."""
        exists = self.concentration < 0.5
        shape = wg.where(exists, self.concentration, 0.25)
        return wg.where(exists, self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape)), wg.nan)

    @property
    def mode(self) -> Tensor:
        """The location."""
        return self.loc

    def _split_at_zero(self) -> tuple[Tensor, Tensor]:
        """Return where the concentration is 0, and the concentration with 1 at these places."""
        zero = wg.isclose(self.concentration, wg.zeros_like(self.concentration))
        return zero, wg.where(zero, 1.0, self.concentration)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by all parameters."""
        shape = self._extended_shape(sample_shape)
        return self.icdf(wg.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        zero, shape = self._split_at_zero()
        power = 1 / shape + wg.ones_like(z)
        # For the concentration -1 the density is uniform: 0 times the logarithm of 0 at the upper bound is 0.
        decay = wg.where(power == 0, power, power * (shape * z).log1p())
        return -self.scale.log() - wg.where(zero, z, decay)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of samples above a value."""
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        zero, shape = self._split_at_zero()
        return wg.where(zero, -z, -(shape * z).log1p() / shape)

    def log_cdf(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of samples up to a value."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        zero, shape = self._split_at_zero()
        log_above = (-value).log1p()
        power = self.loc + self.scale / shape * (-shape * log_above).expm1()
        return wg.where(zero, self.loc - self.scale * log_above, power)

    def entropy(self) -> Tensor:
        """Return the entropy, log(scale) + concentration + 1."""
        return (self.scale.log() + self.concentration + 1).broadcast_to(self._batch_shape)
