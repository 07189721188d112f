"""Derivatives of sorting and of choosing by order: each value goes back to the place it came from."""

from __future__ import annotations

from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE
from wengert_formulas.reductions import picked, put_back

derivative = TABLE.derivative


def to_places(grad: Tensor, indices: Tensor, self_shape: tuple[int, ...], dim: int) -> Tensor:
    """As put_back, for outputs that keep the dim."""
    return put_back(grad, indices, self_shape, dim, True)


for name in ("sort", "topk"):
    derivative(
        name,
        self=to_places,
        outputs=("values",),
        jvp=lambda self_t, indices, dim: (picked(self_t, indices, dim, True), None),
    )
for name in ("median", "nanmedian", "kthvalue"):
    derivative(
        name,
        self=put_back,
        outputs=("values",),
        jvp=lambda self_t, indices, dim, keepdim: (picked(self_t, indices, dim, keepdim), None),
        node=None if name == "kthvalue" else f"{name.capitalize()}Backward1",
    )
TABLE.not_differentiable("argsort", "_unique")
