"""Batching rules: what an op does with a batch of arguments under ``wengert.vmap``, one for a family where possible.

Loaded by the first operation on a batched tensor. Each module registers the rules of one family, see calls/call.py.
"""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import FAMILIES, RULES, Call
from wengert_formulas.batching.calls.layout import in_terms_of_samples
from wengert_formulas.batching.copy import flip_roll_tril, joining, pixel_shuffle  # noqa: F401
from wengert_formulas.batching.create import factories, random  # noqa: F401
from wengert_formulas.batching.index import (  # noqa: F401
    embedding_bag,
    embeddings,
    gather_scatter,
    getitem_fill,
    scatter_reduce,
    searching,
)
from wengert_formulas.batching.linalg import (  # noqa: F401
    addmv_baddbmm,
    distances,
    linalg_cholesky,
    linalg_det,
    linalg_functions,
    linalg_least_squares,
    linalg_lobpcg,
    linalg_lu,
    linalg_solve,
    linalg_spectral,
    matmul,
    products,
)
from wengert_formulas.batching.loss import (  # noqa: F401
    binary_cross_entropy,
    class_margins,
    cross_entropy_nll,
    ctc,
    margin_losses,
    regression,
)
from wengert_formulas.batching.nn import (  # noqa: F401
    attention,
    convolution,
    grid_sample,
    grid_sample_primitives,
    normalization,
    padding,
    pooling,
    upsampling,
)
from wengert_formulas.batching.pointwise import broadcast, complex, gamma, gated_activations, powers  # noqa: F401
from wengert_formulas.batching.reduce import (  # noqa: F401
    dimwise,
    norms,
    reductions,
    softmax,
    sorting,
    unique,
    variance_logsumexp,
)
from wengert_formulas.batching.signal import fft  # noqa: F401
from wengert_formulas.batching.view import diagonals, scatter_views, view_backward, views  # noqa: F401

__all__ = ["Call", "bind_rule", "find"]


def find(op: Any, is_core: bool = True) -> Any:
    """The rule of an op; None when it has none. is_core: the op is one of core's, rules by name are for those."""
    name = op.name
    rule = RULES.get(name) if is_core else None
    if rule is None and is_core and op.is_inplace:
        rule = RULES.get(name[:-1])
    return rule or FAMILIES.get(op.family)


def bind_rule(rule: Any) -> Any:
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
