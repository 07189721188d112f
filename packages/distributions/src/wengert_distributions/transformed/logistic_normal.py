"""The logistic-normal distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.continuous.normal import Normal
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.simplex import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(OfBase, own=()):
    """The logistic-normal distribution on the simplex: normal numbers, made n + 1 parts by stick breaking.

    loc, scale: (..., n), the means and the standard deviations of the numbers.   validate_args: whether to check
    arguments.

    >>> import wengert as wg
    >>> normal = wg.distributions.LogisticNormal(wg.zeros(2), wg.ones(2))
    >>> normal.event_shape, normal.log_prob(wg.ones(3) / 3)
    (torch.Size([3]), tensor(1.4580))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers."""
        return self.base_dist.base_dist.loc  # type: ignore[no-any-return]

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal numbers."""
        return self.base_dist.base_dist.scale  # type: ignore[no-any-return]
