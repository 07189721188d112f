"""Batching rules of complex numbers made of two."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align


@rule("complex", "polar")
def batch_pair(call: Call) -> Any:
    names = ("real", "imag") if call.name == "complex" else ("abs", "angle")
    return call.run(**dict(zip(names, align(call, *names), strict=True)))
