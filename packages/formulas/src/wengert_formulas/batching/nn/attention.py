"""Batching rules of attention and its gradient: one dim more in front, which all tensors have in common."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, family


@family("attention")
def attention(call: Call) -> Any:
    """The samples' dims in front are equal already."""
    return call.run(**{name: call.expanded(name) for name in call.batched if hasattr(call[name], "dim")})
