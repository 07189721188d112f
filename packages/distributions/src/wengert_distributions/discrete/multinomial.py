"""The multinomial distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import broadcast_all
from wengert_distributions.discrete.binomial import Binomial
from wengert_distributions.discrete.categorical import Categorical

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """The multinomial distribution: how often each of n outcomes comes in several independent trials.

    total_count: the number of trials, an int.   probs: (..., n), the probabilities or weights.   logits: (..., n),
    their logarithms, instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> multinomial = wg.distributions.Multinomial(4, wg.tensor([1.0, 3.0]))
    >>> multinomial.mean, multinomial.log_prob(wg.tensor([1.0, 3.0])).exp()
    (tensor([1., 3.]), tensor(0.4219))
    """

    total_count: int
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError(
                f"inhomogeneous total_count is not supported: expected an int, got {type(total_count).__name__}"
            )
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Multinomial, _instance), Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        return self._finish_expand(new, batch_shape, self._event_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Vectors of whole numbers whose sum is that of the trials."""
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        """total_count probs."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        indices = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = wg.zeros(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device)
        return counts.scatter_add_(-1, indices, wg.ones_like(indices, dtype=counts.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a vector of counts."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -wg.inf), 0.0)
        log_choices = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return log_choices + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        count = self.total_count
        binomial = Binomial(count, probs=self.probs, validate_args=False)
        values = binomial.enumerate_support(expand=False)[1:]
        expected = (binomial.log_prob(values).exp() * (values + 1).lgamma()).sum([0, -1])
        return count * self._categorical.entropy() - math.lgamma(count + 1) + expected
