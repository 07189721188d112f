"""The Kumaraswamy distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.utils import broadcast_all, euler_constant
from wengert_distributions.continuous.uniform import Uniform
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import AffineTransform, PowerTransform

__all__ = ["Kumaraswamy"]


class Kumaraswamy(OfBase, own=("concentration1", "concentration0")):
    """The Kumaraswamy distribution on (0, 1), like the beta distribution but with simple quantiles.

    Its density is a b x**(a - 1) (1 - x**a)**(b - 1), with a = concentration1 and b = concentration0.

    concentration1, concentration0: the shapes at 1 and at 0.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Kumaraswamy(2.0, 1.0).log_prob(wg.tensor([0.5, 0.75]))
    tensor([0.0000, 0.4055])
    """

    concentration1: Tensor
    concentration0: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = wg.zeros_like(self.concentration0), wg.ones_like(self.concentration0)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def _moment(self, power: int) -> Tensor:
        """Return the expected value of a power."""
        shape, b = 1 + power / self.concentration1, self.concentration0
        return b * (shape.lgamma() + b.lgamma() - (shape + b).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """The value that is most likely; NaN where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return log_mode.masked_fill((b < 1) | (a < 1), wg.nan).exp()

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
