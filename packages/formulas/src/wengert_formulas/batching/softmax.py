"""Batching rules of softmax, log_softmax and their gradients: the same along the next dim."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.arranging import lifted, shaped
from wengert_formulas.batching.call import Call, family


@family("softmax")
def softmax(call: Call) -> Any:
    """All tensors have one shape."""
    names = [name for name in ("self", "grad_output", "output") if name in call.values]
    dim = call.dim(call["dim"], call.rank(names[0]))
    return shaped(call, call.run(dim=dim, **{name: lifted(call, name) for name in names}), names[0])
