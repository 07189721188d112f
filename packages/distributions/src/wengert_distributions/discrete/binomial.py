"""The binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import logsigmoid

from wengert_distributions import constraints
from wengert_distributions.base.probs_or_logits import ProbsOrLogits
from wengert_distributions.discrete.support import enumerate_integers, uniform_count

__all__ = ["Binomial"]


class Binomial(ProbsOrLogits, parameters=("total_count", "probs", "logits")):
    """The binomial distribution: how many of several independent trials succeed.

    total_count: the number of trials.   probs: the probability of success.   logits: its log-odds, instead.
    validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> binomial = wg.distributions.Binomial(2, wg.tensor(0.5))
    >>> binomial.log_prob(binomial.enumerate_support()).exp()
    tensor([0.2500, 0.5000, 0.2500])
    """

    total_count: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._choose(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The whole numbers up to the number of trials."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """total_count probs."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """The value that is most likely."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        shape = self._extended_shape(sample_shape)
        with wg.no_grad():
            return wg.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a number."""
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        log_choices = (count + 1).lgamma() - (value + 1).lgamma() - (count - value + 1).lgamma()
        return value * self.logits + count * logsigmoid(-self.logits) + log_choices

    def entropy(self) -> Tensor:
        """Return the entropy, where all numbers of trials are the same."""
        uniform_count(self.total_count, "entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all numbers along a new first dimension, where all numbers of trials are the same."""
        count = uniform_count(self.total_count, "enumerate_support")
        return enumerate_integers(1 + count, self._param, self._batch_shape, expand)
