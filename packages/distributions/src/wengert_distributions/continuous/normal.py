"""The normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import LocScale
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.utils import _standard_normal

__all__ = ["Normal"]


class Normal(LocScale, ExponentialFamily, parameters=("loc", "scale")):
    """The normal distribution, with the density exp(-((x - loc) / scale)**2 / 2) / (scale sqrt(2 pi)).

    loc: the mean.   scale: the standard deviation.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> normal = wg.distributions.Normal(wg.tensor([0.0, 1.0]), 2.0)
    >>> normal.log_prob(wg.tensor(1.0)), normal.cdf(wg.tensor(1.0))
    (tensor([-1.7371, -1.6121]), tensor([0.6915, 0.5000]))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def mean(self) -> Tensor:
        """The location."""
        return self.loc

    mode = mean

    @property
    def stddev(self) -> Tensor:
        """The scale."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The square of the scale."""
        return self.scale.pow(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        return self.loc + _standard_normal(shape, self.loc.dtype, self.loc.device) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        return -self._standardize(value) ** 2 / 2 - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + wg.erf(self._standardize(value) / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        return self.loc + self.scale * wg.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        """Return the entropy, log(scale sqrt(2 pi e))."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()
