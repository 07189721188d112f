"""Batching rules of pooling: the batch goes into the images, or in front of them where an op takes dims in front."""

from __future__ import annotations

import re
from typing import Any

from wengert_formulas.batching.calls.call import Call, family, rule
from wengert_formulas.batching.calls.layout import fold_batch, op_errors, unfold_batch


@family("pooling")
def batch_pool(call: Call) -> Any:
    """[C, ...] becomes [B, C, ...], [N, C, ...] becomes [B * N, C, ...]."""
    found = re.search(r"pool(\d)d", call.name)
    assert found is not None, call.name
    x, rank, n = call["self"], call.rank("self"), int(found[1])
    if rank not in (n + 1, n + 2):
        raise op_errors(call)
    if rank == n + 1:
        return call.run()
    results = call.run(self=fold_batch(x))
    if isinstance(results, tuple):
        return tuple(unfold_batch(result, call.size, x.shape[1]) for result in results)
    return unfold_batch(results, call.size, x.shape[1])


@rule("avg_pool_backward", "adaptive_avg_pool_backward")
def batch_pool_backward(call: Call) -> Any:
    """As pooled: that is the op its derivative calls."""
    sizes = tuple(call["input_sizes"])
    if len(sizes) == call["ndim"] + 1:
        return call.run(input_sizes=(call.size, *sizes))
    result = call.run(grad_output=fold_batch(call["grad_output"]), input_sizes=(call.size * sizes[0], *sizes[1:]))
    return unfold_batch(result, call.size, sizes[0])


@rule("pool_scatter")
def batch_scatter(call: Call) -> Any:
    return call.run(grad_output=call.expanded("grad_output"), indices=call.expanded("indices"),
                    input_sizes=(call.size, *call["input_sizes"]))


@rule("pool_gather")
def batch_gather(call: Call) -> Any:
    return call.run(self=call.expanded("self"), indices=call.expanded("indices"))
