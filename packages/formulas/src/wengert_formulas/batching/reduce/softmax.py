"""Batching rules of softmax, log_softmax and their gradients: the same along the next dim."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, family
from wengert_formulas.batching.calls.layout import lift, reshape_like


@family("softmax")
def softmax(call: Call) -> Any:
    """All tensors have one shape."""
    names = [name for name in ("self", "grad_output", "output") if name in call.values]
    dim = call.dim(call["dim"], call.rank(names[0]))
    return reshape_like(call, call.run(dim=dim, **{name: lift(call, name) for name in names}), names[0])
