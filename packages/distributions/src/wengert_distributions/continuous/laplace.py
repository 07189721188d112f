"""The Laplace distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import LocScale

__all__ = ["Laplace"]


class Laplace(LocScale, parameters=("loc", "scale")):
    """The Laplace distribution, with the density exp(-|x - loc| / scale) / (2 scale).

    loc: the mean.   scale: the expected distance from it.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Laplace(0.0, 1.0).log_prob(wg.tensor([0.0, 1.0]))
    tensor([-0.6931, -1.6931])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.real
    has_rsample = True

    @property
    def mean(self) -> Tensor:
        """The location."""
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        """Twice the square of the scale."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        u = self.loc.new_empty(shape).uniform_(wg.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        side = value - 0.5
        return self.loc - self.scale * side.sign() * (-2 * side.abs()).log1p()

    def entropy(self) -> Tensor:
        """Return the entropy, log(2 e scale)."""
        return 1 + (2 * self.scale).log()
