"""The inverse gamma distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.continuous.gamma import Gamma
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(OfBase, own=()):
    """The inverse gamma distribution, of the reciprocal of a gamma number.

    concentration, rate: the shape and the rate of that number.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.InverseGamma(3.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The shape."""
        return self.base_dist.concentration  # type: ignore[no-any-return]

    @property
    def rate(self) -> Tensor:
        """The rate of the reciprocal."""
        return self.base_dist.rate  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        """rate / (concentration - 1); infinity for a concentration up to 1."""
        return wg.where(self.concentration > 1, self.rate / (self.concentration - 1), wg.inf)

    @property
    def mode(self) -> Tensor:
        """rate / (concentration + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean; infinity for a concentration up to 2."""
        shape = self.concentration
        return wg.where(shape > 2, self.rate.square() / ((shape - 1).square() * (shape - 2)), wg.inf)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()
