"""Batching rules of glu: along the next dim."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("glu")
def halves(call: Call) -> Any:
    """Along the next dim."""
    return call.run(dim=call.dim(call["dim"], call.rank("self")))
