"""The absolute values of centered distributions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.transformed.of_base import OfBase


class Half(OfBase):
    """The base class of distributions of the absolute value of a number whose distribution is symmetric around 0."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"scale": constraints.positive}
    support: ClassVar[constraints.Constraint] = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self.base_dist.scale  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        """0."""
        return wg.zeros_like(self.scale)

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density; -infinity below 0."""
        if self._validate_args:
            self._validate_sample(value)
        value = wg.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        log_prob: Tensor = self.base_dist.log_prob(value) + math.log(2)
        return log_prob.masked_fill(value < 0, -wg.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1  # type: ignore[no-any-return]

    def icdf(self, prob: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        return self.base_dist.icdf((prob + 1) / 2)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """Return the entropy: that of the symmetric distribution, less log 2."""
        return self.base_dist.entropy() - math.log(2)  # type: ignore[no-any-return]
