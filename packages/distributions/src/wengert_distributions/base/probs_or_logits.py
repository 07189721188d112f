"""Distributions of two outcomes, whose parameter is a probability or its logit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert import Size, Tensor

from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.base.utils import (
    broadcast_all,
    is_number,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)

EITHER = "Either `probs` or `logits` must be specified, but not both."


def check_one_of(probs: Any, logits: Any) -> None:
    """Raise ValueError unless exactly one of both is there."""
    if (probs is None) == (logits is None):
        raise ValueError(f"{EITHER} Got {'neither' if probs is None else 'both'}.")


class ProbsOrLogits(Elementwise):
    """The base class of distributions that are told a probability, or its logit; the other one is computed once."""

    _param: Tensor
    """The parameter that was passed."""

    def _choose(self, probs: Any, logits: Any, *others: Any) -> Size:
        """Set ``probs`` or ``logits``, and the other parameters in the order of their names; return the batch shape."""
        check_one_of(probs, logits)
        name, value = ("logits", logits) if probs is None else ("probs", probs)
        *rest, self._param = broadcast_all(*others, value)
        self.__dict__[name] = self._param
        names = [other for other in self._elementwise_names if other not in ("probs", "logits")]
        self.__dict__.update((key, tensor.type_as(self._param)) for key, tensor in zip(names, rest, strict=True))
        return Size() if is_number(*others, value) else self._param.shape

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new = super().expand(batch_shape, _instance)
        new._param = new.__dict__["logits" if self._param is self.__dict__.get("logits") else "probs"]
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.shape
