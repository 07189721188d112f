"""The Cauchy distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import LocScale

__all__ = ["Cauchy"]


class Cauchy(LocScale, parameters=("loc", "scale")):
    """The Cauchy (Lorentz) distribution, which the ratio of two centered normal numbers has.

    loc: the median.   scale: half of the width at half of the maximum.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Cauchy(0.0, 1.0).cdf(wg.tensor([-1.0, 0.0, 1.0]))
    tensor([0.2500, 0.5000, 0.7500])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.real
    has_rsample = True

    @property
    def mean(self) -> Tensor:
        """NaN: there is none."""
        return wg.full(self._extended_shape(), wg.nan, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mode(self) -> Tensor:
        """The location."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Infinity."""
        return wg.full(self._extended_shape(), wg.inf, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        return self.loc + self.loc.new_empty(shape).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - (self._standardize(value) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        return self._standardize(value).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        """Return the entropy, log(4 pi scale)."""
        return math.log(4 * math.pi) + self.scale.log()
