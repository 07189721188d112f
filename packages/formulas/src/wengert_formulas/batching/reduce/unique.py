"""Batching rules of distinct values: they are refused, as in PyTorch."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("_unique", "_unique_consecutive")
def unique(call: Call) -> Any:
    """The length of the result depends on the data."""
    name = "_unique2" if call.name == "_unique" else "unique_consecutive"
    raise RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{name}. Each sample may have another number of distinct values"
    )
