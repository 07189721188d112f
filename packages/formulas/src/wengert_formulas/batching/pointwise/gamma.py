"""Batching rules of mvlgamma."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("mvlgamma")
def elementwise(call: Call) -> Any:
    return call.run()
