"""Batching rules of pixel_shuffle and pixel_unshuffle, whose pixels lie in the last dims."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("_pixel_shuffle", "_pixel_unshuffle")
def pixels(call: Call) -> Any:
    """The last three dims count."""
    return call.run()
