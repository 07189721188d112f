"""Batching rules of complex numbers made of two."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import aligned


@rule("complex", "polar")
def paired(call: Call) -> Any:
    names = ("real", "imag") if call.name == "complex" else ("abs", "angle")
    return call.run(**dict(zip(names, aligned(call, *names), strict=True)))
