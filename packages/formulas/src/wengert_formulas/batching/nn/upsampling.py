"""Batching rules of interpolation: the batch becomes images."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.nn.upsampling import KINDS

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import fold_batch, unfold_batch


@rule(*(f"_upsample_{kind}" for kind in KINDS), "_upsample_backward")
def upsample(call: Call) -> Any:
    """The batch becomes images."""
    name = call.op.params[0]
    return unfold_batch(call.run(**{name: fold_batch(call[name])}), call.size, call[name].shape[1])
