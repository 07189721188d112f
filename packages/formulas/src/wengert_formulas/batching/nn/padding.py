"""Batching rules of padding, which is of the last dims."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import refused


@rule("constant_pad_nd")
def constant_pad_nd(call: Call) -> Any:
    if len(call["pad"]) > 2 * call.rank("self"):
        raise refused(call)
    return call.run()


@rule(*(f"{kind}_pad{n}d" for kind in ("reflection", "replication") for n in (1, 2, 3)))
def pad(call: Call) -> Any:
    return call.run()
