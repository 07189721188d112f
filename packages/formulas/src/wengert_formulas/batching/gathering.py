"""Batching rules of gathering and scattering: by an index of each sample along the next dim."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.arranging import flat, folded, lifted, refused, shaped, unfolded
from wengert_formulas.batching.call import Call, rule

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


@rule("select_scatter", "slice_scatter", "diagonal_scatter")
def part_written(call: Call) -> Any:
    """Along the next dims."""
    rank = call.rank("self")
    dims = {name: call.dim(call[name], rank) for name in ("dim", "dim1", "dim2") if name in call.values}
    return call.run(self=call.expanded("self"), src=call.expanded("src"), **dims)


@rule("scatter", "scatter_add", "scatter_reduce")
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


@rule("index_add", "index_copy", "index_reduce")
def index_into(call: Call) -> Any:
    """With an index of each sample it is a scatter."""
    x, source, dim = target(call), lifted(call, "source"), along(call)
    if not call.batched["index"]:
        return given(call, call.run(self=x, source=source, dim=dim))
    index, last = checked_index(call, x, source, dim), "_" if call.op.is_inplace else ""
    if call.name.startswith("index_add"):
        alpha = call["alpha"]
        result = ops[f"scatter_add{last}"](x, dim, index, source if alpha == 1 else source * alpha)
    elif call.name.startswith("index_copy"):
        result = ops[f"scatter{last}"](x, dim, index, source)
    else:
        if call["reduce"] == "sum":
            raise refused(call)
        result = ops[f"scatter_reduce{last}"](
            x, dim, index, source, call["reduce"], include_self=call["include_self"])
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


@rule("embedding")
def embedding(call: Call) -> Any:
    """Weights of samples below each other, with indices further down for each."""
    if not call.batched["weight"] and not call["scale_grad_by_freq"]:
        return call.run()
    weight, indices, padding = call.expanded("weight"), call.expanded("indices"), call["padding_idx"]
    rows = weight.shape[1]
    first = wc.arange(0, call.size * rows, rows, device=indices.device) if rows else indices.new_zeros(call.size)
    places = indices + first.reshape(call.size, *[1] * (indices.dim() - 1))
    found = call.run(weight=folded(weight), indices=places, padding_idx=-1)
    return found if padding < 0 else wc.where((indices == padding).unsqueeze(-1), found.detach(), found)


@rule("_embedding_bag")
def bags(call: Call) -> Any:
    """All entries, one sample's after the other's; weights of samples below each other."""
    entries, starts = flat(call, "indices"), call.expanded("offsets")
    starts = starts[:, :-1] if call["include_last_offset"] else starts
    seen = every_sample(starts)
    if call.batched["offsets"] and seen.numel() and (seen[..., 0] != 0).any().item():
        raise refused(call)
    n, count, padding, rows = entries.shape[1], starts.shape[1], call["padding_idx"], call["weight"].shape[-2]
    number = wc.arange(call.size, device=entries.device).unsqueeze(1)
    changes: dict[str, Any] = {"include_last_offset": False, "offsets": (starts + number * n).reshape(-1)}
    of_each = call.batched["weight"] or call["scale_grad_by_freq"]
    if of_each:
        changes["weight"] = folded(call.expanded("weight"))
        places = entries + number * rows
        entries = places if padding < 0 else wc.where(entries == padding, padding, places)  # of the first sample
    if call["per_sample_weights"] is not None:
        changes["per_sample_weights"] = folded(flat(call, "per_sample_weights"))
    found, bag, size, entry = call.run(indices=folded(entries), **changes)
    found = unfolded(found, call.size, count)
    bag = (unfolded(bag, call.size, n) - number * count).to(bag.dtype)
    size = unfolded(size, call.size, count) if call["mode"] else call.expand(size)
    if entry.dim() == 1:  # of maxima only
        return found, bag, size, call.expand(entry)
    entry = unfolded(entry, call.size, count)
    if of_each:
        first = (number * rows).to(entry.dtype).unsqueeze(2)
        entry = wc.where((size == 0).unsqueeze(2), 0, entry - first)
    return found, bag, size, entry
