"""Parts of networks that are no activation and no loss: dropout, vectors of length 1."""

from __future__ import annotations

from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor
from wengert_core.tensors.vmap_hooks import empty_for_fill

composite = TABLE.composite


# ---- dropout


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(False) if inplace else input * False
    kept = empty_for_fill(TABLE.ops["empty_like"](input)).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(kept) if inplace else input * kept


composite(dropout, namespace="nn.functional")


# ---- length


def normalize(input: Tensor, p: Any = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    size = TABLE.ops["norm"](input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / size if out is None else TABLE.ops["div"](input, size, out=out)


composite(normalize, namespace="nn.functional")
