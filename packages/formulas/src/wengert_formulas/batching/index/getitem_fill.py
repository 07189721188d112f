"""Batching rules of x[...] and x[...] = value, and of writes of whole tensors.

Note [Indices of a batch]
    Tensors among the indices of ``index`` are broadcast with each other; the dims they give stand where the first of
    them does, or in front when other dims lie between them. Where indices are batched, or the result must have the
    batch in front, one more index numbers the elements of the batch; then the indices' dims come right behind the
    batch, and are moved to where they belong.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core import TABLE

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align, op_errors
from wengert_formulas.batching.view.views import pad_rank

arange, index, index_put = TABLE.ops["arange"], TABLE.ops["index"], TABLE.ops["index_put"]


class Indices:
    """The indices of a call, one for each dim: None or an integer tensor, masks taken apart.

    tensors, batched: they, and which have a batch.   rank: of what they give.   first: the dim where that stands, 0
    when other dims lie between the indices.   count: how many dims they take.   added: the dims of size 1 that the
    indexed tensor gets, one for each mask without dims, so that the mask takes it.
    """

    def __init__(self, values: Any, flags: Any) -> None:
        self.tensors: list[Any] = []
        self.batched: list[bool] = []
        self.added: list[int] = []
        flags = flags if isinstance(flags, list) else [False] * len(values)
        for value, flag in zip(values, flags, strict=True):
            if value is not None and str(value.dtype) in ("torch.bool", "torch.uint8"):
                if flag:
                    raise RuntimeError("vmap: We do not support batching operators that can support dynamic shape. "
                                       "Attempting to batch over indexing with a boolean mask. Choose with where() "
                                       "instead")
                if not value.dim():
                    self.added.append(len(self.tensors))
                found = value.nonzero(as_tuple=True)
                self.tensors += found
                self.batched += [False] * len(found)
            else:
                self.tensors.append(value)
                self.batched.append(flag)
        positions = [position for position, value in enumerate(self.tensors) if value is not None]
        self.rank = max(self.tensors[position].dim() - self.batched[position] for position in positions)
        self.count = len(positions)
        self.is_apart = positions[-1] - positions[0] >= len(positions)
        self.first = 0 if self.is_apart else positions[0]

    def insert_dims(self, value: Any, batch: int) -> Any:
        """The indexed tensor with the dims that are added. batch: how many dims of batches are in front."""
        for dim in self.added:
            value = value.unsqueeze(dim + batch)
        return value

    def aligned_indices(self) -> list[Any]:
        """The indices with the batch in front of what they give."""
        return [value if not flag else pad_rank(value, value.dim() - 1, self.rank)
                for value, flag in zip(self.tensors, self.batched, strict=True)]

    def with_batch(self, size: int) -> list[Any]:
        """The indices of a tensor with a batch, with one that numbers its elements."""
        return [arange(size, device="cpu").reshape(size, *[1] * self.rank), *self.aligned_indices()]


@rule("index")
def batch_index(call: Call) -> Any:
    found = Indices(call["indices"], call.batched["indices"])
    value = found.insert_dims(call["self"], int(call.batched["self"]))
    if not any(found.batched):
        result = call.run(self=value, indices=[None, *found.tensors])
        return result.movedim(found.rank, 0) if found.is_apart else result
    if not call.batched["self"]:
        result = call.run(self=value, indices=found.aligned_indices())
        return result.movedim(found.first, 0)
    result = call.run(self=value, indices=found.with_batch(call.size))
    return move_index_dims(result, found, behind=False)


def move_index_dims(value: Any, found: Indices, behind: bool) -> Any:
    """The dims of the indices moved from behind the batch to their place, or (behind) the other way."""
    if not found.first or not found.rank:
        return value
    here = list(range(1, found.rank + 1))
    there = [dim + found.first for dim in here]
    return value.movedim(there, here) if behind else value.movedim(here, there)


@rule("index_put")
def put(call: Call) -> Any:
    found = Indices(call["indices"], call.batched["indices"])
    target = call["self"] if call.op.is_inplace else call.expanded("self")
    value = found.insert_dims(target, 1)
    values, rank = call.expanded("values").to(value.device), call.rank("values")
    wanted = value.dim() - 1 - found.count + found.rank
    values = move_index_dims(pad_rank(values, rank, wanted), found, behind=True)
    result = call.op(value, found.with_batch(call.size), values, call["accumulate"])
    if found.added:
        return target if call.op.is_inplace else result.reshape(target.shape)
    return result


@rule("copy_")
def batch_copy(call: Call) -> Any:
    source = call["src"]
    if call.batched["src"]:
        source = pad_rank(source, call.rank("src"), call.rank("self"))
    return call.run(src=source)


@rule("fill")
def batch_fill(call: Call) -> Any:
    value = call["value"]
    if not call.batched["value"]:
        return call.run()
    check_scalar(call)
    target = call["self"] if call.op.is_inplace else call.expanded("self")
    spread = pad_rank(value, 0, target.dim() - 1)
    if call.op.is_inplace:
        return target.copy_(spread)
    return spread.to(target.dtype).expand(target.shape).clone()


def check_scalar(call: Call) -> None:
    if call.rank("value"):
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{call.rank('value')} dimensions.")


@rule("zero_")
def batch_zero(call: Call) -> Any:
    return call.run()


@rule("masked_fill")
def masked_fill(call: Call) -> Any:
    """A value of each sample is chosen by ``where``."""
    if call.op.is_inplace and call.rank("mask") > call.rank("self"):
        raise op_errors(call)
    x, mask = align(call, "self", "mask")
    if not call.batched["value"]:
        return call.run(self=call["self"] if call.op.is_inplace else x, mask=mask)
    if call.rank("value"):
        raise op_errors(call)
    value = call["value"].to(x.dtype)
    result = wc.where(mask, value.reshape(call.size, *[1] * (x.dim() - 1)), x)
    return call["self"].copy_(result) if call.op.is_inplace else result
