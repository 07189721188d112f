"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(Elementwise, ExponentialFamily, parameters=("rate",)):
    """The Poisson distribution: how many independent events happen in a time.

    rate: the mean.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Poisson(2.0).log_prob(wg.tensor([0.0, 1.0]))
    tensor([-2.0000, -1.3069])
    """

    rate: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"rate": constraints.nonnegative}
    support: ClassVar[constraints.Constraint] = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set_parameters(rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The rate."""
        return self.rate

    variance = mean

    @property
    def mode(self) -> Tensor:
        """The rate, rounded down."""
        return self.rate.floor()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        with wg.no_grad():
            return wg.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a number."""
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.rate.log(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.exp()
