"""Batching rules of reductions that other ops compute: variances, norms, medians; of glu and restride."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.ops.view.view_backward import extent

from wengert_formulas.batching.arranging import aligned, flat, refused
from wengert_formulas.batching.call import Call, rule

ops = wc.TABLE.ops


@rule("var", "std", "var_mean", "std_mean", "logsumexp", "linalg_vector_norm", "_norm", "nansum")
def reduced(call: Call) -> Any:
    """Over some dims; without any over all of a sample."""
    rank, dims = call.rank("self"), call["dim"]
    found = call.dims(() if dims is None else dims, rank) or list(range(1, rank + 1))
    if rank == 0:
        return call.run(self=call["self"].unsqueeze(1), dim=[1], keepdim=False)
    return call.run(dim=found)


@rule("aminmax")
def aminmax(call: Call) -> Any:
    """Over one dim, or over all of a sample."""
    rank, dim = call.rank("self"), call["dim"]
    if dim is not None and rank:
        return call.run(dim=call.dim(dim, rank))
    pair = call.run(self=flat(call, "self"), dim=1, keepdim=False)
    return tuple(x.reshape(call.size, *[1] * rank) for x in pair) if call["keepdim"] else pair


@rule("mvlgamma")
def elementwise(call: Call) -> Any:
    return call.run()


@rule("dist")
def dist(call: Call) -> Any:
    first, second = aligned(call, "self", "other")
    difference = first - second
    rows = difference.reshape(call.size, difference.numel() // max(call.size, 1))
    return ops["linalg_vector_norm"](rows, call["p"], [1])


@rule("cdist")
def cdist(call: Call) -> Any:
    first, second = aligned(call, "x1", "x2")
    return call.run(x1=first, x2=second)


@rule("pdist")
def pdist(call: Call) -> Any:
    """As cdist of one row and one row for each pair."""
    rows = call["self"]
    pairs = wc.triu_indices(rows.shape[1], rows.shape[1], 1, device=rows.device)
    first, second = (rows.index_select(1, which).unsqueeze(-2) for which in pairs)
    return ops["_cdist"](first, second, call["p"]).squeeze(-1).squeeze(-1)


@rule("linalg_cross")
def cross(call: Call) -> Any:
    rank = call.rank("self")
    if call.rank("other") != rank:
        raise refused(call)
    first, second = aligned(call, "self", "other")
    return call.run(self=first, other=second, dim=call.dim(call["dim"], rank))


@rule("glu")
def halves(call: Call) -> Any:
    """Along the next dim."""
    return call.run(dim=call.dim(call["dim"], call.rank("self")))


@rule("_median", "_nanmedian")
def median(call: Call) -> Any:
    """Elements that equal the median share its gradient: they are what amax chooses among."""
    rows = flat(call, "self")
    value = ops[f"{call.name[1:]}.dim"](rows.detach(), 1)[0]
    if not rows.dtype.is_floating_point:
        return value
    wanted = value.unsqueeze(1)
    equal = (rows == wanted) | (rows.isnan() & wanted.isnan())
    return wc.where(equal, rows, -math.inf).amax(1)


@rule("restride")
def restride(call: Call) -> Any:
    """Each sample has a stretch of memory of its own, as long as the geometries reach."""
    geometries = [call["source"], call["target"], call["shared"]]
    start = min(offset for _, _, offset in geometries[:2])
    length = max(extent((sizes, strides, offset - start)) for sizes, strides, offset in geometries[:2])
    source, target, shared = (
        None if g is None else ((call.size, *g[0]), (length, *g[1]), g[2]) for g in geometries
    )
    return call.run(source=source, target=target, shared=shared)
