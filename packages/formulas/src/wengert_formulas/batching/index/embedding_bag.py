"""Batching rules of embedding_bag: one list of entries, weights below each other."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import every_sample

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import (
    flat,
    fold_batch,
    op_errors,
    unfold_batch,
)


@rule("_embedding_bag")
def batch_bags(call: Call) -> Any:
    """All entries, one sample's after the other's; weights of samples below each other."""
    entries, starts = flat(call, "indices"), call.expanded("offsets")
    starts = starts[:, :-1] if call["include_last_offset"] else starts
    seen = every_sample(starts)
    if call.batched["offsets"] and seen.numel() and (seen[..., 0] != 0).any().item():
        raise op_errors(call)
    n, count, padding, rows = entries.shape[1], starts.shape[1], call["padding_idx"], call["weight"].shape[-2]
    number = wc.arange(call.size, device=entries.device).unsqueeze(1)
    changes: dict[str, Any] = {"include_last_offset": False, "offsets": (starts + number * n).reshape(-1)}
    of_each = call.batched["weight"] or call["scale_grad_by_freq"]
    if of_each:
        changes["weight"] = fold_batch(call.expanded("weight"))
        places = entries + number * rows
        entries = places if padding < 0 else wc.where(entries == padding, padding, places)  # of the first sample
    if call["per_sample_weights"] is not None:
        changes["per_sample_weights"] = fold_batch(flat(call, "per_sample_weights"))
    found, bag, size, entry = call.run(indices=fold_batch(entries), **changes)
    found = unfold_batch(found, call.size, count)
    bag = (unfold_batch(bag, call.size, n) - number * count).to(bag.dtype)
    size = unfold_batch(size, call.size, count) if call["mode"] else call.expand(size)
    if entry.dim() == 1:  # of maxima only
        return found, bag, size, call.expand(entry)
    entry = unfold_batch(entry, call.size, count)
    if of_each:
        first = (number * rows).to(entry.dtype).unsqueeze(2)
        entry = wc.where((size == 0).unsqueeze(2), 0, entry - first)
    return found, bag, size, entry
