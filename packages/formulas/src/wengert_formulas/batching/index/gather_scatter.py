"""Batching rules of gathering and scattering: by indices along the next dim, by flat positions, by masks."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.ops.index.gather_scatter import check_put, checked_positions
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import (
    align,
    flat,
    lift,
    op_errors,
    reshape_like,
    sample_shape,
)

ops = wc.TABLE.ops


def indexed_dim(call: Call) -> int:
    """The dim that is indexed, as one of the batch's."""
    return call.dim(call["dim"], call.rank("self"))


def target(call: Call) -> Any:
    """self with the batch in front; of an op in place the very memory of self."""
    return lift(call, "self")


def restore_shape(call: Call, result: Any) -> Any:
    """The output in self's shape; of an op in place self."""
    return call["self"] if call.op.is_inplace else reshape_like(call, result, "self")


@rule("gather")
def gather(call: Call) -> Any:
    result = call.run(self=target(call), dim=indexed_dim(call), index=lift(call, "index"))
    return reshape_like(call, result, "index")


@rule("scatter", "scatter_add")
def scatter(call: Call) -> Any:
    """src may be a number; a number of each sample counts for all of its index."""
    changes: dict[str, Any] = {"self": target(call), "dim": indexed_dim(call), "index": lift(call, "index")}
    for name in ("src", "value"):
        if isinstance(call.values.get(name), Tensor):
            src = lift(call, name)
            changes[name] = src.expand(changes["index"].shape) if name == "value" else src
    if isinstance(changes.get("value"), Tensor):
        changes["src"], changes["value"] = filling(changes.pop("value"), call["self"]), None
    return restore_shape(call, call.run(**changes))


def filling(value: Any, x: Any) -> Any:
    """Numbers in the dtype of what they go into."""
    return value.to(x.dtype)


# ---- an index that is a vector
@rule("index_select")
def index_select(call: Call) -> Any:
    x, dim = target(call), indexed_dim(call)
    if not call.batched["index"]:
        return restore_shape(call, call.run(self=x, dim=dim))
    if call.rank("index") > 1:
        raise op_errors(call)
    index = expand_index(lift(call, "index"), dim, x.shape)
    return restore_shape(call, ops["gather"](x, dim, index))


def expand_index(index: Any, dim: int, shape: Any) -> Any:
    """An index of each sample, [B, k], for all elements of a tensor of that shape; k of them along ``dim``."""
    k = index.shape[1]
    index = index.reshape(index.shape[0], *[k if d == dim else 1 for d in range(1, len(shape))])
    return index.expand([k if d == dim else n for d, n in enumerate(shape)])


def checked_index(call: Call, x: Any, source: Any, dim: int) -> Any:
    """The index of each sample for all elements of the source; the op's own error where shapes do not fit."""
    index = lift(call, "index")
    wanted = [index.shape[-1] if d == dim else n for d, n in enumerate(x.shape)]
    if call.rank("index") > 1 or call.rank("self") != call.rank("source") or list(source.shape) != wanted:
        raise op_errors(call)
    return expand_index(index, dim, source.shape)


@rule("index_add", "index_copy")
def index_into(call: Call) -> Any:
    """With an index of each sample it is a scatter."""
    x, source, dim = target(call), lift(call, "source"), indexed_dim(call)
    if not call.batched["index"]:
        return restore_shape(call, call.run(self=x, source=source, dim=dim))
    index, last = checked_index(call, x, source, dim), "_" if call.op.is_inplace else ""
    if call.name.startswith("index_add"):
        alpha = call["alpha"]
        result = ops[f"scatter_add{last}"](x, dim, index, source if alpha == 1 else source * alpha)
    else:
        result = ops[f"scatter{last}"](x, dim, index, source)
    return restore_shape(call, result)


@rule("index_fill")
def index_fill(call: Call) -> Any:
    """A value of each sample is copied to all its places."""
    x, dim, value = target(call), indexed_dim(call), call["value"]
    of_each = isinstance(value, Tensor) and call.batched["value"]
    if of_each and call.rank("value"):
        raise op_errors(call)
    if not call.batched["index"] and not of_each:
        return restore_shape(call, call.run(self=x, dim=dim))
    if call.rank("index") > 1:
        raise op_errors(call)
    index = expand_index(lift(call, "index"), dim, x.shape)
    index = wc.where(index < 0, index + x.shape[dim], index)
    if isinstance(value, Tensor):
        value = filling(value, x).reshape(*value.shape, *[1] * (x.dim() - value.dim())).expand(index.shape)
    return restore_shape(call, ops["scatter_" if call.op.is_inplace else "scatter"](x, dim, index, value))


@rule("_take")
def take(call: Call) -> Any:
    """Of each sample's row."""
    if not call.batched["self"]:
        return call.run()
    rows = flat(call, "self")
    positions = checked_positions(flat(call, "index"), rows.shape[1])
    return rows.gather(1, positions).reshape(call.size, *sample_shape(call, "index"))


@rule("_put")
def put(call: Call) -> Any:
    """Into each sample's row."""
    rows, source = flat(call, "self"), flat(call, "source")
    positions = checked_positions(flat(call, "index"), rows.shape[1])
    check_put(call["self"], positions, source)
    written = wc.scatter_add if call["accumulate"] else wc.scatter
    return written(rows, 1, positions, source).reshape(call.size, *sample_shape(call, "self"))


@rule("masked_scatter")
def masked_scatter(call: Call) -> Any:
    """The k-th place of the mask gets element k of the source, counted from 1; element 0 is for places outside it."""
    if call.op.is_inplace and call.rank("mask") > call.rank("self"):
        raise op_errors(call)
    if call["mask"].dtype is not wc.bool or call["source"].dtype is not call["self"].dtype:
        raise op_errors(call)
    x, mask = align(call, "self", "mask")
    shape = ops["broadcast_shapes"]((call.size,), *[(t.shape[0],) for t in (x, mask)]) + ops["broadcast_shapes"](
        tuple(x.shape[1:]), tuple(mask.shape[1:]))
    mask = mask.expand(shape)
    source = flat(call, "source")
    source = ops["cat"]([source.new_zeros((call.size, 1)), source], 1)
    rows = mask.reshape(call.size, math.prod(shape[1:]))
    positions = wc.where(rows, rows.cumsum(1), 0)
    result = wc.where(mask, source.gather(1, positions).reshape(shape), x)
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
    positions = call["mask"].expand(shape).reshape(-1).nonzero().reshape(-1)
    x = align(call, "self", rank=len(shape))[0].expand(call.size, *shape)
    return x.reshape(call.size, math.prod(shape)).index_select(1, positions)
