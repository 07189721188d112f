"""Batching rules of pooling: the batch goes into the images, or in front of them where an op takes dims in front."""

from __future__ import annotations

import re
from typing import Any

from wengert_formulas.batching.calls.call import Call, family, rule
from wengert_formulas.batching.calls.layout import folded, refused, unfolded


@family("pooling")
def pooled(call: Call) -> Any:
    """[C, ...] becomes [B, C, ...], [N, C, ...] becomes [B * N, C, ...]."""
    found = re.search(r"pool(\d)d", call.name)
    assert found is not None, call.name
    x, rank, n = call["self"], call.rank("self"), int(found[1])
    if rank not in (n + 1, n + 2):
        raise refused(call)
    if rank == n + 1:
        return call.run()
    results = call.run(self=folded(x))
    if isinstance(results, tuple):
        return tuple(unfolded(result, call.size, x.shape[1]) for result in results)
    return unfolded(results, call.size, x.shape[1])


@rule("avg_pool_backward", "adaptive_avg_pool_backward")
def spread(call: Call) -> Any:
    """As pooled: that is the op its derivative calls."""
    sizes = tuple(call["input_sizes"])
    if len(sizes) == call["ndim"] + 1:
        return call.run(input_sizes=(call.size, *sizes))
    result = call.run(grad_output=folded(call["grad_output"]), input_sizes=(call.size * sizes[0], *sizes[1:]))
    return unfolded(result, call.size, sizes[0])


@rule("pool_scatter")
def scattered(call: Call) -> Any:
    return call.run(grad_output=call.expanded("grad_output"), indices=call.expanded("indices"),
                    input_sizes=(call.size, *call["input_sizes"]))


@rule("pool_gather")
def gathered(call: Call) -> Any:
    return call.run(self=call.expanded("self"), indices=call.expanded("indices"))
