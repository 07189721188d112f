"""The relaxed Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.probs_or_logits import ProbsOrLogits
from wengert_distributions.base.utils import broadcast_all, clamp_probs
from wengert_distributions.transformed.of_base import OfBase
from wengert_distributions.transforms.pointwise import SigmoidTransform

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbsOrLogits, parameters=("probs", "logits")):
    """The distribution of the log-odds of a RelaxedBernoulli number.

    temperature: positive.   probs: the probability of 1.   logits: its log-odds, instead.   validate_args: whether to
    check arguments.

    >>> import wengert as wg
    >>> from wengert.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
    >>> LogitRelaxedBernoulli(wg.tensor(1.0), wg.tensor(0.5)).log_prob(wg.tensor(0.0))
    tensor(-1.3863)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: ClassVar[constraints.Constraint] = constraints.real

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(self._choose(probs, logits), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape; the temperature stays."""
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(wg.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value * self.temperature
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(OfBase, own=()):
    """The relaxed Bernoulli distribution: numbers between 0 and 1, near them at low temperatures, with gradients.

    Source: Maddison, Mnih, Teh, "The concrete distribution" (2017); Jang, Gu, Poole, "Categorical reparameterization
    with Gumbel-Softmax" (2017).

    temperature: positive.   probs: the probability of 1 at the temperature 0.   logits: its log-odds, instead.
    validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.RelaxedBernoulli(wg.tensor(1.0), wg.tensor(0.5)).log_prob(wg.tensor(0.25))
    tensor(0.)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: ClassVar[constraints.Constraint] = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature  # type: ignore[no-any-return]

    @property
    def logits(self) -> Tensor:
        """The log-odds."""
        return self.base_dist.logits  # type: ignore[no-any-return]

    @property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return self.base_dist.probs  # type: ignore[no-any-return]
