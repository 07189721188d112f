"""Draws from a categorical distribution that can be differentiated."""

from __future__ import annotations

import warnings
from typing import Any

import wengert
from wengert import Tensor

from wengert_nn.functional.type_errors import with_type_errors

__all__ = ["gumbel_softmax"]


@with_type_errors
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Return ``softmax((logits + g) / tau)``, where g is drawn from the Gumbel distribution.

    logits: log probabilities, up to a constant. tau: the temperature; the lower it is, the closer to one-hot.
    hard: whether one-hot vectors are returned, which have the gradients of the soft ones. eps: has no effect.
    Source: Jang and others, Categorical reparameterization with Gumbel-softmax, arXiv:1611.01144.

    >>> import wengert as wg
    >>> gumbel_softmax(wg.zeros(5, 3), hard=True).sum(1)
    tensor([1., 1., 1., 1., 1.])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise: Any = -wengert.empty_like(logits, memory_format=wengert.contiguous_format).exponential_().log()
    soft: Tensor = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = wengert.zeros_like(logits, memory_format=wengert.contiguous_format).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
