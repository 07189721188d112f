"""The beta distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.utils import broadcast_all, is_number
from wengert_distributions.multivariate.dirichlet import Dirichlet

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution, with a density proportional to x**(concentration1 - 1) (1 - x)**(concentration0 - 1).

    concentration1, concentration0: the shapes at 1 and at 0 (alpha and beta).   validate_args: whether to check
    arguments.

    >>> import wengert as wg
    >>> beta = wg.distributions.Beta(1.0, 3.0)
    >>> beta.mean, beta.log_prob(wg.tensor(0.5))
    (tensor(0.2500), tensor(-0.2877))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if is_number(concentration1, concentration0):
            both = wg.tensor([float(concentration1), float(concentration0)])
        else:
            both = wg.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Beta, _instance), Size(batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return self._finish_expand(new, batch_shape)

    @property
    def concentration1(self) -> Tensor:
        """The shape at 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The shape at 0."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        """concentration1 by the sum of both."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """The value that is most likely."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by both parameters."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(wg.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
