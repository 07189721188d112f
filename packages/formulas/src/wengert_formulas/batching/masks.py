"""Batching rules of masks, triangles and flips."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc

from wengert_formulas.batching.arranging import aligned, flat, refused, sample_shape
from wengert_formulas.batching.call import Call, rule

ops = wc.TABLE.ops


@rule("masked_fill")
def masked_fill(call: Call) -> Any:
    """A value of each sample is chosen by ``where``."""
    if call.op.is_inplace and call.rank("mask") > call.rank("self"):
        raise refused(call)
    x, mask = aligned(call, "self", "mask")
    if not call.batched["value"]:
        return call.run(self=call["self"] if call.op.is_inplace else x, mask=mask)
    if call.rank("value"):
        raise refused(call)
    value = call["value"].to(x.dtype)
    result = wc.where(mask, value.reshape(call.size, *[1] * (x.dim() - 1)), x)
    return call["self"].copy_(result) if call.op.is_inplace else result


@rule("masked_scatter")
def masked_scatter(call: Call) -> Any:
    """The k-th place of the mask gets element k of the source, counted from 1; element 0 is for places outside it."""
    if call.op.is_inplace and call.rank("mask") > call.rank("self"):
        raise refused(call)
    if call["mask"].dtype is not wc.bool or call["source"].dtype is not call["self"].dtype:
        raise refused(call)
    x, mask = aligned(call, "self", "mask")
    shape = ops["broadcast_shapes"]((call.size,), *[(t.shape[0],) for t in (x, mask)]) + ops["broadcast_shapes"](
        tuple(x.shape[1:]), tuple(mask.shape[1:]))
    mask = mask.expand(shape)
    source = flat(call, "source")
    source = ops["cat"]([source.new_zeros((call.size, 1)), source], 1)
    rows = mask.reshape(call.size, math.prod(shape[1:]))
    places = wc.where(rows, rows.cumsum(1), 0)
    result = wc.where(mask, source.gather(1, places).reshape(shape), x)
    return call["self"].copy_(result) if call.op.is_inplace else result


@rule("tril", "triu")
def triangle(call: Call) -> Any:
    if call.rank("self") < 2:
        raise refused(call)
    return call.run()


@rule("flip")
def flip(call: Call) -> Any:
    rank = call.rank("self")
    dims = call.dims(call["dims"], rank)
    return call.run(dims=dims) if rank else call["self"].clone()


@rule("roll")
def roll(call: Call) -> Any:
    """Without dims each sample is rolled as one row."""
    shifts, dims = call["shifts"], call["dims"]
    if dims is None or (not isinstance(dims, int) and not len(dims)):
        if not isinstance(shifts, int) and len(shifts) != 1:
            raise refused(call)
        return call.run(self=flat(call, "self"), dims=[1]).reshape(call.size, *sample_shape(call, "self"))
    return call.run(dims=call.dims(dims, call.rank("self")))


@rule("rot90")
def rot90(call: Call) -> Any:
    rank, dims = call.rank("self"), call["dims"]
    if rank < 2:
        raise refused(call)
    return call.run(dims=call.dims(dims, rank))


@rule("nonzero")
def nonzero(call: Call) -> Any:
    raise RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::"
        "nonzero. Each sample may have another number of elements that are not zero"
    )


@rule("masked_select")
def masked_select(call: Call) -> Any:
    """With one mask for all samples the shape is known."""
    if call.batched["mask"]:
        raise RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
            "each batch this would return a differently shaped Tensor. Choose by where(mask, self, ...) instead"
        )
    shape = ops["broadcast_shapes"](sample_shape(call, "self"), tuple(call["mask"].shape))
    places = call["mask"].expand(shape).reshape(-1).nonzero().reshape(-1)
    x = aligned(call, "self", rank=len(shape))[0].expand(call.size, *shape)
    return x.reshape(call.size, math.prod(shape)).index_select(1, places)
