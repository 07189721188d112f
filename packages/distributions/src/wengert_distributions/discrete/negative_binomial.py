"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import logsigmoid

from wengert_distributions import constraints
from wengert_distributions.base.probs_or_logits import ProbsOrLogits
from wengert_distributions.base.utils import lazy_property
from wengert_distributions.continuous.gamma import Gamma

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits, parameters=("total_count", "probs", "logits")):
    """The negative binomial distribution: how many trials succeed before a number of them has failed.

    total_count: the number of failures; it need not be whole.   probs: the probability of success, in [0, 1).
    logits: its log-odds, instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.NegativeBinomial(1, wg.tensor(0.5)).log_prob(wg.tensor([0.0, 1.0])).exp()
    tensor([0.5000, 0.2500])
    """

    total_count: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support: ClassVar[constraints.Constraint] = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._choose(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """total_count probs / (1 - probs)."""
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        """The value that is most likely."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        """total_count probs / (1 - probs)**2."""
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Gamma:
        """The distribution of the rates of Poisson distributions, whose mixture this one is."""
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        with wg.no_grad():
            return wg.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a number."""
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        log_choices = (count + value).lgamma() - (1.0 + value).lgamma() - count.lgamma()
        log_choices = log_choices.masked_fill(count + value == 0.0, 0.0)  # no failure to wait for: surely 0
        return count * logsigmoid(-self.logits) + value * logsigmoid(self.logits) + log_choices
