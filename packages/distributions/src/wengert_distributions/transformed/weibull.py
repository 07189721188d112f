"""The Weibull distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.utils import broadcast_all, euler_constant
from wengert_distributions.continuous.exponential import Exponential
from wengert_distributions.transformed.transformed_distribution import TransformedDistribution
from wengert_distributions.transforms.pointwise import AffineTransform, PowerTransform

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution: the probability of more than x is exp(-(x / scale)**concentration), for x > 0.

    scale: the scale.   concentration: the shape.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.positive
    scale: Tensor
    concentration: Tensor
    concentration_reciprocal: Tensor

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(wg.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._set_transforms(), validate_args=validate_args)

    def _set_transforms(self) -> list[Any]:
        """Set the reciprocal of the shape; return the transforms of an exponential number."""
        self.concentration_reciprocal = self.concentration.reciprocal()
        return [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Weibull, _instance), Size(batch_shape)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.base_dist = self.base_dist.expand(batch_shape)
        new.transforms = new._set_transforms()
        return self._finish_expand(new, batch_shape)

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        """The value that is most likely."""
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        second = (1 + 2 * self.concentration_reciprocal).lgamma().exp()
        return self.scale.pow(2) * (second - (2 * (1 + self.concentration_reciprocal).lgamma()).exp())

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shape = self.concentration_reciprocal
        return euler_constant * (1 - shape) + (self.scale * shape).log() + 1
