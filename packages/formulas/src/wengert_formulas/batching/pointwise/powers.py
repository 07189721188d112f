"""Batching rules of ldexp and frexp, which broadcast."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align


@rule("_ldexp")
def ldexp(call: Call) -> Any:
    """Both broadcast."""
    x, other = align(call, "self", "other")
    return call.run(self=x, other=other)


@rule("frexp")
def frexp(call: Call) -> Any:
    return call.run()
