"""Batching rules of reductions: over all dims but the first, or those that were named, one further to the right."""

from __future__ import annotations

from typing import Any

from wengert_core import TABLE

from wengert_formulas.batching.calls.call import Call, family, rule
from wengert_formulas.batching.calls.layout import flat
from wengert_formulas.batching.reduce.dimwise import batch_dimwise


@family("reduction")
def batch_reduce(call: Call) -> Any:
    value, dim, rank = call["self"], call["dim"], call.rank("self")
    if not rank:
        call.dims([] if dim is None else dim, 0)
        return call.run(self=value.unsqueeze(1), dim=[1], keepdim=False)
    every = dim is None or (dim == [] or dim == ())
    return call.run(dim=list(range(1, rank + 1)) if every else call.dims(dim, rank))


@rule("nansum")
def over_dims(call: Call) -> Any:
    """Over some dims; without any over all of a sample."""
    rank, dims = call.rank("self"), call["dim"]
    found = call.dims(() if dims is None else dims, rank) or list(range(1, rank + 1))
    if rank == 0:
        return call.run(self=call["self"].unsqueeze(1), dim=[1], keepdim=False)
    return call.run(dim=found)


@rule("_max", "_min")
def extreme(call: Call) -> Any:
    """Of a whole sample; equal extremes share the gradient, as those of amax and amin do."""
    rank, op = call.rank("self"), TABLE.ops[f"a{call.name[1:]}"]
    return op(call["self"], list(range(1, rank + 1)), call["keepdim"]) if rank else op(call["self"].unsqueeze(1), [1])


@rule("prod")
def product(call: Call) -> Any:
    value, dim, rank = call["self"], call["dim"], call.rank("self")
    if dim is not None and rank:
        return call.run(dim=call.dim(dim, rank))
    if dim is not None:
        call.dim(dim, 0)
    flat = value.flatten(1) if rank else value.unsqueeze(1)
    found = call.run(self=flat, dim=1, keepdim=False)
    return found.reshape(call.size, *([1] * rank)) if call["keepdim"] else found


@rule("aminmax")
def aminmax(call: Call) -> Any:
    """Over one dim, or over all of a sample."""
    rank, dim = call.rank("self"), call["dim"]
    if dim is not None and rank:
        return call.run(dim=call.dim(dim, rank))
    pair = call.run(self=flat(call, "self"), dim=1, keepdim=False)
    return tuple(x.reshape(call.size, *[1] * rank) for x in pair) if call["keepdim"] else pair


@rule("argmax", "argmin")
def batch_whole(call: Call) -> Any:
    """Without a dim: among all elements of a sample."""
    if call["dim"] is not None:
        return batch_dimwise(call)
    found = call.run(self=flat(call, "self"), dim=1, keepdim=False)
    return found.reshape(call.size, *[1] * call.rank("self")) if call["keepdim"] else found
