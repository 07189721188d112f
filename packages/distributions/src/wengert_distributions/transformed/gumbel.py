"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.utils import broadcast_all, euler_constant, is_number
from wengert_distributions.continuous.uniform import Uniform
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import AffineTransform, ExpTransform

__all__ = ["Gumbel"]


class Gumbel(OfBase, own=("loc", "scale")):
    """The Gumbel distribution, of the maximum of many numbers: loc - scale log(-log u) of a uniform u.

    loc: the mode.   scale: the scale.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> gumbel = wg.distributions.Gumbel(0.0, 1.0)
    >>> gumbel.mean, gumbel.log_prob(wg.tensor(0.0))
    (tensor(0.5772), tensor(-1.))
    """

    loc: Tensor
    scale: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = wg.finfo(self.loc.dtype)
        bounds: tuple[Any, Any] = (info.tiny, 1 - info.eps)
        if not is_number(loc, scale):
            bounds = wg.full_like(self.loc, bounds[0]), wg.full_like(self.loc, bounds[1])
        base = Uniform(*bounds, validate_args=validate_args)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-wg.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """loc plus the Euler-Mascheroni constant times scale."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        """The location."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """pi scale / sqrt(6)."""
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        """The square of the standard deviation."""
        return self.stddev.pow(2)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, in a form that is stable in the tails."""
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    def entropy(self) -> Tensor:
        """Return the entropy, log(scale) + 1 plus the Euler-Mascheroni constant."""
        return self.scale.log() + (1 + euler_constant)
