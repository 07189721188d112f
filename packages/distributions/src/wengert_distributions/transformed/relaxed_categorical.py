"""The relaxed categorical distribution of one-hot vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import broadcast_all, clamp_probs
from wengert_distributions.discrete.categorical import Categorical
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import ExpTransform

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The distribution of the logarithm of a RelaxedOneHotCategorical vector.

    temperature: positive.   probs: (..., n), the probabilities or weights.   logits: (..., n), their logarithms,
    instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> from wengert.distributions.relaxed_categorical import ExpRelaxedCategorical
    >>> ExpRelaxedCategorical(wg.tensor(1.0), wg.ones(2)).log_prob(wg.tensor([0.5, 0.5]).log())
    tensor(-1.3863)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    # The manifold of logarithms whose exponentials sum to 1, in fact.
    support: ClassVar[constraints.Constraint] = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape; the temperature stays."""
        new, batch_shape = self._get_checked_instance(ExpRelaxedCategorical, _instance), Size(batch_shape)
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)
        return self._finish_expand(new, batch_shape, self._event_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(wg.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        size = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = math.lgamma(size) + (size - 1) * self.temperature.log()
        return (logits - value * self.temperature).log_softmax(-1).sum(-1) + log_scale


class RelaxedOneHotCategorical(OfBase, own=()):
    """The relaxed categorical distribution: vectors on the simplex, near corners at low temperatures, with gradients.

    Source: Maddison, Mnih, Teh, "The concrete distribution" (2017); Jang, Gu, Poole, "Categorical reparameterization
    with Gumbel-Softmax" (2017).

    temperature: positive.   probs: (..., n), the probabilities or weights of the corners at the temperature 0.
    logits: (..., n), their logarithms, instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> relaxed = wg.distributions.RelaxedOneHotCategorical(wg.tensor(1.0), wg.ones(2))
    >>> relaxed.log_prob(wg.tensor([[0.5, 0.5], [0.25, 0.75]]))
    tensor([0., 0.])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support: ClassVar[constraints.Constraint] = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature  # type: ignore[no-any-return]

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self.base_dist.logits  # type: ignore[no-any-return]

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs  # type: ignore[no-any-return]
