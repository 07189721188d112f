"""The half-normal distribution."""

from __future__ import annotations

import math
from typing import Any

from wengert import Tensor

from wengert_distributions.continuous.normal import Normal
from wengert_distributions.transformed.half import Half
from wengert_distributions.transforms.pointwise import AbsTransform

__all__ = ["HalfNormal"]


class HalfNormal(Half, own=()):
    """The half-normal distribution, of the absolute value of a centered normal number.

    scale: the standard deviation of that number.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.HalfNormal(1.0).cdf(wg.tensor([0.0, 1.0, 2.0]))
    tensor([0.0000, 0.6827, 0.9545])
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """scale sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """scale**2 (1 - 2 / pi)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)
