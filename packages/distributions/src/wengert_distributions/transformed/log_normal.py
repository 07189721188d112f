"""The log-normal distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.continuous.normal import Normal
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import ExpTransform

__all__ = ["LogNormal"]


class LogNormal(OfBase, own=()):
    """The log-normal distribution, of the exponential of a normal number.

    loc, scale: the mean and the standard deviation of the logarithm.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.LogNormal(0.0, 1.0).mean
    tensor(1.6487)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc  # type: ignore[no-any-return]

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        """exp(loc + scale**2 / 2)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        """exp(loc - scale**2)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        """Return the entropy: that of the logarithm, plus loc."""
        entropy: Tensor = self.base_dist.entropy()
        return entropy + self.loc
