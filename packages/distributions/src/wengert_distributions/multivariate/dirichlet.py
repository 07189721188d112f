"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor
from wengert.nn.functional import one_hot

from wengert_distributions import constraints
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.sampling.dirichlet import standard_dirichlet

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution on the simplex, with a density proportional to prod x_i**(concentration_i - 1).

    concentration: (..., n), positive.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> dirichlet = wg.distributions.Dirichlet(wg.tensor([1.0, 1.0, 2.0]))
    >>> dirichlet.mean, dirichlet.log_prob(wg.tensor([0.25, 0.25, 0.5]))
    (tensor([0.2500, 0.2500, 0.5000]), tensor(1.0986))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.independent(constraints.positive, 1),
    }
    support: ClassVar[constraints.Constraint] = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Dirichlet, _instance), Size(batch_shape)
        new.concentration = self.concentration.expand(batch_shape + self._event_shape)
        return self._finish_expand(new, batch_shape, self._event_shape)

    @property
    def mean(self) -> Tensor:
        """The concentrations by their sum."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """The value that is most likely; a corner of the simplex where all concentrations are below 1."""
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = one_hot(mode.argmax(-1), above.shape[-1]).to(mode)
        return wg.where((self.concentration < 1).all(-1, keepdim=True), corner, mode)

    @property
    def variance(self) -> Tensor:
        """The variances of the components."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the concentrations."""
        return standard_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        return (self.concentration - 1.0).xlogy(value).sum(-1) - self._log_normalizer(self.concentration)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        size, total = self.concentration.size(-1), self.concentration.sum(-1)
        expected = ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)
        return self._log_normalizer(self.concentration) - (size - total) * total.digamma() - expected

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
