"""The half-Cauchy distribution."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.continuous.cauchy import Cauchy
from wengert_distributions.transformed.half import Half
from wengert_distributions.transforms.pointwise import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(Half, own=()):
    """The half-Cauchy distribution, of the absolute value of a centered Cauchy number.

    scale: the scale, which is the median.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.HalfCauchy(1.0).cdf(wg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5000])
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """Infinity."""
        return wg.full(self._extended_shape(), wg.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> Tensor:
        """Infinity."""
        return self.base_dist.variance  # type: ignore[no-any-return]
