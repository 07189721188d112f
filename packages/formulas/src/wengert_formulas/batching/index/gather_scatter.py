"""Batching rules of gathering and scattering: by indices along the next dim, by flat positions, by masks."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.ops.index.gather_scatter import check_put, checked_positions
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import (
    aligned,
    flat,
    lifted,
    refused,
    sample_shape,
    shaped,
)

ops = wc.TABLE.ops


def along(call: Call) -> int:
    """The dim that is indexed, as one of the batch's."""
    return call.dim(call["dim"], call.rank("self"))


def target(call: Call) -> Any:
    """self with the batch in front; of an op in place the very memory of self."""
    return lifted(call, "self")


def given(call: Call, result: Any) -> Any:
    """The output in self's shape; of an op in place self."""
    return call["self"] if call.op.is_inplace else shaped(call, result, "self")


@rule("gather")
def gather(call: Call) -> Any:
    result = call.run(self=target(call), dim=along(call), index=lifted(call, "index"))
    return shaped(call, result, "index")


@rule("scatter", "scatter_add")
def scatter(call: Call) -> Any:
    """src may be a number; a number of each sample counts for all of its index."""
    changes: dict[str, Any] = {"self": target(call), "dim": along(call), "index": lifted(call, "index")}
    for name in ("src", "value"):
        if isinstance(call.values.get(name), Tensor):
            src = lifted(call, name)
            changes[name] = src.expand(changes["index"].shape) if name == "value" else src
    if isinstance(changes.get("value"), Tensor):
        changes["src"], changes["value"] = filling(changes.pop("value"), call["self"]), None
    return given(call, call.run(**changes))


def filling(value: Any, x: Any) -> Any:
    """Numbers in the dtype of what they go into."""
    return value.to(x.dtype)


# ---- an index that is a vector
@rule("index_select")
def index_select(call: Call) -> Any:
    x, dim = target(call), along(call)
    if not call.batched["index"]:
        return given(call, call.run(self=x, dim=dim))
    if call.rank("index") > 1:
        raise refused(call)
    index = spread(lifted(call, "index"), dim, x.shape)
    return given(call, ops["gather"](x, dim, index))


def spread(index: Any, dim: int, shape: Any) -> Any:
    """An index of each sample, [B, k], for all elements of a tensor of that shape; k of them along ``dim``."""
    k = index.shape[1]
    index = index.reshape(index.shape[0], *[k if d == dim else 1 for d in range(1, len(shape))])
    return index.expand([k if d == dim else n for d, n in enumerate(shape)])


def checked_index(call: Call, x: Any, source: Any, dim: int) -> Any:
    """The index of each sample for all elements of the source; the op's own error where shapes do not fit."""
    index = lifted(call, "index")
    wanted = [index.shape[-1] if d == dim else n for d, n in enumerate(x.shape)]
    if call.rank("index") > 1 or call.rank("self") != call.rank("source") or list(source.shape) != wanted:
        raise refused(call)
    return spread(index, dim, source.shape)


@rule("index_add", "index_copy")
def index_into(call: Call) -> Any:
    """With an index of each sample it is a scatter."""
    x, source, dim = target(call), lifted(call, "source"), along(call)
    if not call.batched["index"]:
        return given(call, call.run(self=x, source=source, dim=dim))
    index, last = checked_index(call, x, source, dim), "_" if call.op.is_inplace else ""
    if call.name.startswith("index_add"):
        alpha = call["alpha"]
        result = ops[f"scatter_add{last}"](x, dim, index, source if alpha == 1 else source * alpha)
    else:
        result = ops[f"scatter{last}"](x, dim, index, source)
    return given(call, result)


@rule("index_fill")
def index_fill(call: Call) -> Any:
    """A value of each sample is copied to all its places."""
    x, dim, value = target(call), along(call), call["value"]
    of_each = isinstance(value, Tensor) and call.batched["value"]
    if of_each and call.rank("value"):
        raise refused(call)
    if not call.batched["index"] and not of_each:
        return given(call, call.run(self=x, dim=dim))
    if call.rank("index") > 1:
        raise refused(call)
    index = spread(lifted(call, "index"), dim, x.shape)
    index = wc.where(index < 0, index + x.shape[dim], index)
    if isinstance(value, Tensor):
        value = filling(value, x).reshape(*value.shape, *[1] * (x.dim() - value.dim())).expand(index.shape)
    return given(call, ops["scatter_" if call.op.is_inplace else "scatter"](x, dim, index, value))


@rule("_take")
def take(call: Call) -> Any:
    """Of each sample's row."""
    if not call.batched["self"]:
        return call.run()
    rows = flat(call, "self")
    places = checked_positions(flat(call, "index"), rows.shape[1])
    return rows.gather(1, places).reshape(call.size, *sample_shape(call, "index"))


@rule("_put")
def put(call: Call) -> Any:
    """Into each sample's row."""
    rows, source = flat(call, "self"), flat(call, "source")
    places = checked_positions(flat(call, "index"), rows.shape[1])
    check_put(call["self"], places, source)
    written = wc.scatter_add if call["accumulate"] else wc.scatter
    return written(rows, 1, places, source).reshape(call.size, *sample_shape(call, "self"))


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
