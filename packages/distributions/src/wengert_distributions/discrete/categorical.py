"""The categorical distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.probs_or_logits import check_one_of
from wengert_distributions.base.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from wengert_distributions.discrete.support import enumerate_integers

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution: an index from 0 to n - 1, each with a probability.

    probs: (..., n), the probabilities or weights; they are divided by their sums.   logits: (..., n), their logarithms,
    instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> categorical = wg.distributions.Categorical(wg.tensor([1.0, 1.0, 2.0]))
    >>> categorical.probs, categorical.log_prob(wg.tensor(2))
    (tensor([0.2500, 0.2500, 0.5000]), tensor(-0.6931))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        check_one_of(probs, logits)
        name, value = ("logits", logits) if probs is None else ("probs", probs)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self._param: Tensor = logits - logits.logsumexp(-1, keepdim=True)
        else:
            self._param = probs / probs.sum(-1, keepdim=True)
        self.__dict__[name] = self._param
        self._num_events: int = self._param.shape[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Categorical, _instance), Size(batch_shape)
        for name in ("probs", "logits"):
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand((*batch_shape, self._num_events))
                if self._param is self.__dict__[name]:
                    new._param = new.__dict__[name]
        new._num_events = self._num_events
        return self._finish_expand(new, batch_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The whole numbers from 0 to n - 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.shape

    @property
    def mean(self) -> Tensor:
        """NaN: an index has no mean."""
        return wg.full(self._extended_shape(), wg.nan, dtype=self.probs.dtype, device=self.probs.device)

    variance = mean

    @property
    def mode(self) -> Tensor:
        """The index that is most likely."""
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        sample_shape = Size(sample_shape)
        weights = self.probs.detach().reshape(-1, self._num_events)
        samples = wg.multinomial(weights, sample_shape.numel(), True).T
        return samples.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of an index."""
        if self._validate_args:
            self._validate_sample(value)
        index, logits = broadcast_all(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        logits = self.logits.clamp(min=wg.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all indices along a new first dimension."""
        return enumerate_integers(self._num_events, self._param, self._batch_shape, expand, wg.int64)
