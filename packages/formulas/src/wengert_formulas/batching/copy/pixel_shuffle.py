"""Batching rules of pixels and sliding blocks, which lie in the last dims."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("_pixel_shuffle", "_pixel_unshuffle", "_im2col", "_col2im")
def pixels(call: Call) -> Any:
    """The last two or three dims count."""
    return call.run()
