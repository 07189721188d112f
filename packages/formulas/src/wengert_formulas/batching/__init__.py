"""Batching rules: what an op does with a batch of arguments under ``wengert.vmap``, one for a family where possible.

Loaded by the first operation on a batched tensor. Each module registers the rules of one family, see call.py.
"""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching import (  # noqa: F401
    along,
    arranging,
    attention,
    class_loss,
    convolution,
    factories,
    fft,
    gathering,
    indexing,
    joining,
    linalg,
    losses,
    masks,
    matmul,
    normalization,
    padding,
    places,
    placing,
    pointwise,
    pooling,
    random,
    reductions,
    searching,
    softmax,
    staged,
    views,
)
from wengert_formulas.batching.arranging import in_terms_of_samples
from wengert_formulas.batching.call import FAMILIES, RULES, Call

__all__ = ["Call", "bound", "find"]


def find(op: Any, is_core: bool = True) -> Any:
    """The rule of an op; None when it has none. is_core: the op is one of core's, rules by name are for those."""
    name = op.name
    rule = RULES.get(name) if is_core else None
    if rule is None and is_core and op.is_inplace:
        rule = RULES.get(name[:-1])
    return rule or FAMILIES.get(op.family)


def bound(rule: Any) -> Any:
    """A rule as the engine calls it."""
    if rule is None or isinstance(rule, str):
        return rule

    def run(op: Any, size: int, values: dict[str, Any], batched: dict[str, Any], randomness: str) -> Any:
        call = Call(op, size, values, batched, randomness)
        try:
            return rule(call)
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            raise in_terms_of_samples(call, error) from None

    return run
