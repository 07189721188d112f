"""Batching rules of nll_loss and its gradient: the batch goes into the samples, each of which keeps its own loss."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.drivers.loss.nll_loss import refuse_gradient

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import fold_batch, op_errors

NONE, MEAN = 0, 1
"""Numbers of reductions; 2 is the sum."""


def images(call: Call, x: Any, rank: int) -> Any:
    """A tensor of one loss for each target, as [batch * N, ...]; rank: of the samples of the input."""
    return x.reshape(call.size) if rank == 1 else fold_batch(x)


def scale_of(call: Call, target: Any, rank: int, dtype: Any) -> Any:
    """What each target's loss is multiplied by: its class's weight, 0 where it is ignored; [batch * N, ...]."""
    counts = target != call["ignore_index"]
    if call["weight"] is None:
        return counts.to(dtype)
    weight = call["weight"]
    index = wc.where(counts, target, 0)
    if call.batched["weight"]:
        rows = index.reshape(call.size, index.numel() // max(call.size, 1))
        chosen = weight.gather(1, rows).reshape(index.shape)
    else:
        chosen = weight.index_select(0, index.reshape(index.numel())).reshape(index.shape)
    return wc.where(counts, chosen, 0)


def per_sample(call: Call, x: Any) -> Any:
    """[batch * N, ...] as one row for each sample."""
    return x.reshape(call.size, x.numel() // max(call.size, 1))


def mean_divisor(call: Call, target: Any, rank: int, dtype: Any) -> Any:
    """What each sample's mean is divided by; not in half precision, which counts to 2048 only."""
    return per_sample(call, scale_of(call, target, rank, wc.float32 if dtype.itemsize == 2 else dtype)).sum(1)


def refuse_gradient_inside(rank: int, weight: Any) -> None:
    """RuntimeError for a transform inside of the vmap, as without vmap; from outside the loss is decomposed."""
    from wengert_engine.vmap.level_stack import differentiates_inside

    if differentiates_inside():
        refuse_gradient("nll_loss_forward" if rank <= 2 else "nll_loss2d_forward", "weight", weight)


@rule("nll_loss")
def nll_loss(call: Call) -> Any:
    rank = call.rank("self")
    if rank == 1 and call.rank("target") > 1:
        raise op_errors(call)
    x, target = call.expanded("self"), call.expanded("target").long()
    shape = tuple(target.shape[1:]) if rank > 1 else ()
    x, target = x if rank == 1 else fold_batch(x), images(call, target, rank)
    weight, differentiated = call["weight"], call["weight"] is not None and call["weight"].requires_grad
    if differentiated:
        refuse_gradient_inside(rank, weight)
    own = call.batched["weight"] or (differentiated and weight.dtype is x.dtype)
    losses = call.run(self=x, target=target, weight=None if own else weight, reduction=NONE)
    if own:
        if tuple(weight.shape[call.batched["weight"]:]) != (x.shape[1],):
            raise op_errors(call)
        scale = scale_of(call, target, rank, x.dtype)
        losses = losses * scale if differentiated else wc.where(scale == 0, 0, losses * scale)
    if call["reduction"] == NONE:
        return losses.reshape(call.size, *shape)
    if call["reduction"] != MEAN:
        return per_sample(call, losses).sum(1)
    counts = mean_divisor(call, target, rank, x.dtype)
    return (per_sample(call, losses).sum(1, dtype=counts.dtype) / counts).to(x.dtype)


@rule("nll_loss_backward")
def nll_loss_backward(call: Call) -> Any:
    shape = tuple(call["self_shape"])
    rank, dtype = len(shape), call["grad_output"].dtype
    target = images(call, call.expanded("target").long(), rank)
    grad = call.expanded("grad_output")
    own = call.batched["weight"]
    if call["reduction"] == NONE:
        grad = images(call, grad, rank)
    else:
        if call["reduction"] == MEAN:
            grad = (grad / mean_divisor(call, target, rank, dtype)).to(dtype)
        count = target.numel() // max(call.size, 1)
        grad = grad.reshape(call.size, 1).expand(call.size, count).reshape(target.shape)
    if own:
        scale = scale_of(call, target, rank, dtype)
        grad = (grad * scale).masked_fill(scale == 0, 0)
    whole = (call.size, *shape) if rank == 1 else (call.size * shape[0], *shape[1:])
    result = call.run(grad_output=grad, self_shape=whole, target=target, weight=None if own else call["weight"],
                      reduction=NONE)
    return result.reshape(call.size, *shape)
