"""Rules that ops of matrices share: each takes dims in front of its matrices."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.calls.call import Call
from wengert_formulas.batching.calls.layout import op_errors, own_batch


def of_matrices(call: Call) -> Any:
    """The op itself, for an argument that is a matrix in each sample."""
    if call.rank({"_geqrf": "input", "cholesky": "self", "cholesky_inverse": "self"}.get(call.name, "A")) < 2:
        raise op_errors(call)
    return call.run()


def decompositions(call: Call) -> Any:
    """The same where outputs may be left empty."""
    return own_batch(call, of_matrices(call))


def all_expanded(call: Call) -> Any:
    """All tensors with the batch in front."""
    return call.run(**{name: call.expanded(name) for name in call.op.params if name in call.batched
                       and isinstance(call[name], Tensor)})
