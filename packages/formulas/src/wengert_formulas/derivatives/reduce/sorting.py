"""Derivatives of sorting and of choosing by order: each value goes back to the place it came from."""

from __future__ import annotations

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.reduce.reductions import put_back, tangents_at, whole_grad, whole_tangent

derivative = TABLE.derivative


def scatter_kept_dim(grad: Tensor, indices: Tensor, self_shape: tuple[int, ...], dim: int) -> Tensor:
    """As put_back, for outputs that keep the dim."""
    return put_back(grad, indices, self_shape, dim, True)


def sort_name(stable: str) -> str:
    """sort has another overload with ``stable``."""
    return f"SortBackward{int(stable != 'none')}"


for name in ("sort", "topk"):
    derivative(
        name,
        self=scatter_kept_dim,
        outputs=("values",),
        jvp=lambda self_t, indices, dim: (tangents_at(self_t, indices, dim, True), None),
        node=sort_name if name == "sort" else None,
    )
for name in ("median", "nanmedian", "kthvalue"):
    derivative(
        name,
        self=put_back,
        outputs=("values",),
        jvp=lambda self_t, indices, dim, keepdim: (tangents_at(self_t, indices, dim, keepdim), None),
        node=None if name == "kthvalue" else f"{name.capitalize()}Backward1",
    )
for name in ("_median", "_nanmedian"):
    derivative(name, self=whole_grad, jvp=whole_tangent, node=f"{name[1:].capitalize()}Backward0")
TABLE.not_differentiable("argsort")
