"""Batching rule of constant_pad_nd, which pads the last dims."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.arranging import refused
from wengert_formulas.batching.call import Call, rule


@rule("constant_pad_nd")
def constant_pad_nd(call: Call) -> Any:
    if len(call["pad"]) > 2 * call.rank("self"):
        raise refused(call)
    return call.run()
