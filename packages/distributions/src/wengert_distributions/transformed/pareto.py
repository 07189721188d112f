"""The Pareto distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.utils import broadcast_all
from wengert_distributions.continuous.exponential import Exponential
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import AffineTransform, ExpTransform

__all__ = ["Pareto"]


class Pareto(OfBase, own=("scale", "alpha")):
    """The Pareto distribution (of type 1): the probability of more than x is (scale / x)**alpha, for x >= scale.

    scale: the smallest value.   alpha: how fast the tail falls.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Pareto(1.0, 2.0).cdf(wg.tensor([1.0, 2.0]))
    tensor([0.0000, 0.7500])
    """

    scale: Tensor
    alpha: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "alpha": constraints.positive,
        "scale": constraints.positive,
    }

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The half line from the scale on."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        """alpha scale / (alpha - 1); infinity for alpha up to 1."""
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Tensor:
        """The scale."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean; infinity for alpha up to 2."""
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
