"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import binary_cross_entropy_with_logits

from wengert_distributions import constraints
from wengert_distributions.base.probs_or_logits import ProbsOrLogits
from wengert_distributions.base.utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits, parameters=("probs", "logits")):
    """The geometric distribution: how many trials fail before the first one that succeeds.

    probs: the probability of success, in (0, 1].   logits: its log-odds, instead.   validate_args: whether to check
    arguments.

    >>> import wengert as wg
    >>> wg.distributions.Geometric(wg.tensor(0.5)).log_prob(wg.tensor([0.0, 1.0])).exp()
    tensor([0.5000, 0.2500])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: ClassVar[constraints.Constraint] = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._choose(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.detach()[value <= 0]}"
            )

    @property
    def mean(self) -> Tensor:
        """1 / probs - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        """0."""
        return wg.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        """(1 / probs - 1) / probs."""
        return self.mean / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples."""
        probs = self.probs.detach()
        u = probs.new_empty(self._extended_shape(sample_shape)).uniform_(wg.finfo(probs.dtype).tiny, 1)
        return (u.log() / (-probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a number of failures."""
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        failing = probs.masked_fill((probs == 1) & (value == 0), 0.0)  # 0 failures: not 0 times -infinity
        return value * (-failing).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
