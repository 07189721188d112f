"""Batching rules of joining: each of the tensors with a batch."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.copy.joining import on_diagonal

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.view.views import pad_rank, sizes_of


def whole(call: Call) -> tuple[list[Any], list[int]]:
    """The tensors, expanded to the batch, and their ranks without it."""
    tensors = [value if flag else call.expand(value)
               for value, flag in zip(call["tensors"], call.batched["tensors"], strict=True)]
    return tensors, [tensor.dim() - 1 for tensor in tensors]


@rule("cat")
def batch_join(call: Call) -> Any:
    tensors, ranks = whole(call)
    if len(set(ranks)) > 1:  # empty vectors are left out, as ever
        tensors = [tensor for tensor in tensors if tuple(tensor.shape[1:]) != (0,)]
        ranks = [tensor.dim() - 1 for tensor in tensors]
    if 0 in ranks:
        raise RuntimeError(f"zero-dimensional tensor (at position {ranks.index(0)}) cannot be concatenated")
    return call.run(tensors=tensors, dim=call.dim(call["dim"], ranks[0]))


@rule("block_diag")
def block_diag(call: Call) -> Any:
    return on_diagonal(whole(call)[0], 1)


@rule("stack")
def batch_stack(call: Call) -> Any:
    tensors, ranks = whole(call)
    return call.run(tensors=tensors, dim=call.dim(call["dim"], ranks[0] + 1))


@rule("repeat")
def batch_repeat(call: Call) -> Any:
    repeats, rank = sizes_of(call["repeats"]), call.rank("self")
    if len(repeats) < rank:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return call.run(self=pad_rank(call["self"], rank, len(repeats)), repeats=(1, *repeats))
