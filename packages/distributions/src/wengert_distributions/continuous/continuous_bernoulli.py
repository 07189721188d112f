"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import binary_cross_entropy_with_logits

from wengert_distributions import constraints
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.probs_or_logits import ProbsOrLogits
from wengert_distributions.base.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily, parameters=("probs", "logits")):
    """The continuous Bernoulli distribution, with a density proportional to probs**x (1 - probs)**(1 - x) on [0, 1].

    Source: Loaiza-Ganem, Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders"
    (2019).

    probs: between 0 and 1; not the mean.   logits: its log-odds, instead.   lims: where ``probs`` is between these,
    Taylor series around 1/2 replace formulas that are not stable there.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.ContinuousBernoulli(wg.tensor([0.5, 0.8])).mean
    tensor([0.5000, 0.6120])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: ClassVar[constraints.Constraint] = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        batch_shape = self._choose(probs, logits)
        self._lims = lims
        if logits is None:
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError(f"The parameter probs has invalid values: expected them in [0, 1], got {self.probs}")
            self.probs = self._param = clamp_probs(self.probs)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter between 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    # ---- formulas where probs is not near 1/2, Taylor series where it is

    def _stable(self) -> Tensor:
        """Return where the formulas are stable."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _stable_probs(self) -> Tensor:
        """Return the parameter, moved to the lower limit where the formulas are not stable."""
        return wg.where(self._stable(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        """Return the logarithm of the factor that makes the density's integral 1."""
        probs = self._stable_probs()
        log_norm = log_odds(probs).abs().log() - (1 - 2 * probs).abs().log()
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return wg.where(self._stable(), log_norm, taylor)

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        probs = self._stable_probs()
        mean = probs / (2.0 * probs - 1.0) - 1.0 / log_odds(probs)
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return wg.where(self._stable(), mean, taylor)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        probs = self._stable_probs()
        variance = probs * (probs - 1.0) / (1.0 - 2.0 * probs).pow(2) + 1.0 / log_odds(probs).pow(2)
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return wg.where(self._stable(), variance, taylor)

    # ---- samples and probabilities

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameter."""
        shape = self._extended_shape(sample_shape)
        return self.icdf(wg.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return self._cont_bern_log_norm() - binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        if self._validate_args:
            self._validate_sample(value)
        probs = self._stable_probs()
        formula = (probs.pow(value) * (1.0 - probs).pow(1.0 - value) + probs - 1.0) / (2.0 * probs - 1.0)
        inside = wg.where(self._stable(), formula, value)
        return wg.where(value <= 0.0, 0.0, wg.where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability."""
        probs = self._stable_probs()
        formula = ((-probs + value * (2.0 * probs - 1.0)).log1p() - (-probs).log1p()) / log_odds(probs)
        return wg.where(self._stable(), formula, value)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return -self.mean * log_odds(self.probs) - self._cont_bern_log_norm() - (-self.probs).log1p()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        stable = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        logits = wg.where(stable, x, self._lims[0] - 0.5)
        log_norm = logits.expm1().abs().log() - logits.abs().log()
        taylor = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return wg.where(stable, log_norm, taylor)


def log_odds(probs: Tensor) -> Tensor:
    """Return log(probs / (1 - probs))."""
    return probs.log() - (-probs).log1p()
