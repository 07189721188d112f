"""Batching rules of padding and of sliding blocks, which are of the last dims."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import op_errors


@rule("constant_pad_nd")
def constant_pad_nd(call: Call) -> Any:
    if len(call["pad"]) > 2 * call.rank("self"):
        raise op_errors(call)
    return call.run()


@rule(*(f"{kind}_pad{n}d" for kind in ("reflection", "replication") for n in (1, 2, 3)))
def pad(call: Call) -> Any:
    return call.run()


@rule("_im2col", "_col2im")
def blocks(call: Call) -> Any:
    """The last two or three dims count."""
    return call.run()
