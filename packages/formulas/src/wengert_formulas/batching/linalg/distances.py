"""Batching rules of distances between rows."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align, sample_shape

ops = wc.TABLE.ops


@rule("cdist")
def cdist(call: Call) -> Any:
    first, second = align(call, "x1", "x2")
    return call.run(x1=first, x2=second)


@rule("_cdist_backward")
def cdist_backward(call: Call) -> Any:
    names = ("grad_output", "x1", "x2", "distances")
    return call.run(**dict(zip(names, align(call, *names), strict=True)))


@rule("pdist")
def pdist(call: Call) -> Any:
    """As cdist of one row and one row for each pair."""
    rows = call["self"]
    pairs = wc.triu_indices(rows.shape[1], rows.shape[1], 1, device=rows.device)
    first, second = (rows.index_select(1, which).unsqueeze(-2) for which in pairs)
    return ops["_cdist"](first, second, call["p"]).squeeze(-1).squeeze(-1)


@rule("_pdist_backward")
def pdist_backward(call: Call) -> Any:
    """As the gradients of cdist of all rows and all rows, where each pair stands twice."""
    n = sample_shape(call, "self")[0]
    rows, grad, sizes = (call.expanded(name) for name in ("self", "grad_output", "distances"))
    first, second = wc.triu_indices(n, n, 1, device=rows.device)
    number = wc.zeros((n, n), dtype=first.dtype, device=rows.device)
    count = wc.arange(len(first), device=rows.device)
    number[first, second] = count
    number[second, first] = count
    off = (1 - wc.eye(n, dtype=rows.dtype, device=rows.device)) if n > 1 else None
    if off is None:
        return rows.new_zeros(rows.shape)
    grads = grad.index_select(1, number.reshape(-1)).reshape(-1, n, n) * off
    distances = sizes.index_select(1, number.reshape(-1)).reshape(-1, n, n)
    return ops["_cdist_backward"](grads, rows, rows, call["p"], distances)
