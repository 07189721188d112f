"""The Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import binary_cross_entropy_with_logits

from wengert_distributions import constraints
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.probs_or_logits import ProbsOrLogits
from wengert_distributions.base.utils import broadcast_all
from wengert_distributions.discrete.support import enumerate_integers

__all__ = ["Bernoulli"]


class Bernoulli(ProbsOrLogits, ExponentialFamily, parameters=("probs", "logits")):
    """The Bernoulli distribution: 1 with a probability, and 0 otherwise.

    probs: the probability of 1.   logits: its log-odds, instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Bernoulli(wg.tensor([0.25, 0.5])).log_prob(wg.tensor([1.0, 0.0]))
    tensor([-1.3863, -0.6931])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: ClassVar[constraints.Constraint] = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._choose(probs, logits), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The probability."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """1 or 0; NaN for the probability 1/2."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, wg.nan)

    @property
    def variance(self) -> Tensor:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        with wg.no_grad():
            return wg.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of 0 or 1."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0 and 1 along a new first dimension."""
        return enumerate_integers(2, self._param, self._batch_shape, expand)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.probs.logit(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.exp().log1p()
