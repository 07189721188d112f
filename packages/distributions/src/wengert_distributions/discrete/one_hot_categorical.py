"""The categorical distribution of one-hot vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor
from wengert.nn.functional import one_hot

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.discrete.categorical import Categorical

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """The categorical distribution, whose samples are vectors with a single 1 instead of indices.

    probs: (..., n), the probabilities or weights.   logits: (..., n), their logarithms, instead.   validate_args:
    whether to check arguments.

    >>> import wengert as wg
    >>> one_hot = wg.distributions.OneHotCategorical(wg.tensor([1.0, 3.0]))
    >>> one_hot.mean, one_hot.log_prob(wg.tensor([0.0, 1.0]))
    (tensor([0.2500, 0.7500]), tensor(-0.2877))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support: ClassVar[constraints.Constraint] = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(OneHotCategorical, _instance), Size(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return self._finish_expand(new, batch_shape, self._event_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    mean = probs

    @property
    def mode(self) -> Tensor:
        """The vector that is most likely."""
        return one_hot(self.probs.argmax(-1), self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self) -> Tensor:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        indices = self._categorical.sample(sample_shape)
        return one_hot(indices, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a vector."""
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all vectors along a new first dimension."""
        size, batch_shape = self._event_shape[0], self._batch_shape
        values = wg.eye(size, dtype=self._param.dtype, device=self._param.device)
        values = values.view(size, *(1,) * len(batch_shape), size)
        return values.expand(size, *batch_shape, size) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A one-hot distribution whose samples pass gradients on to the probabilities, as if they were these.

    Source: Bengio, Léonard, Courville, "Estimating or propagating gradients through stochastic neurons" (2013).

    probs, logits, validate_args: as for OneHotCategorical.

    >>> import wengert as wg
    >>> probs = wg.tensor([0.5, 0.5], requires_grad=True)
    >>> sample = wg.distributions.OneHotCategoricalStraightThrough(probs).rsample()
    >>> sample[0].backward()
    >>> probs.grad
    tensor([ 0.5000, -0.5000])
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that pass gradients on."""
        samples, probs = self.sample(sample_shape), self.probs
        return samples + (probs - probs.detach())
