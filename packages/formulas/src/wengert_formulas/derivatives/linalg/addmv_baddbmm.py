"""Derivatives of products that are added to a tensor, but for addmm."""

from __future__ import annotations

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, conj
from wengert_formulas.derivatives.linalg.matmul import adjoint, scale

derivative = TABLE.derivative


def outer(column: Tensor, row: Tensor) -> Tensor:
    """column @ row."""
    return column.unsqueeze(1) * row


derivative(
    "addmv",
    self=lambda grad, beta: scale(grad, conj(beta)),
    mat=lambda grad, vec, alpha: scale(outer(grad, vec.conj()), conj(alpha)),
    vec=lambda grad, mat, alpha: scale(adjoint(mat).mv(grad), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scale(self_t, beta),
        "mat": lambda mat_t, vec, alpha: scale(mat_t.mv(vec), alpha),
        "vec": lambda vec_t, mat, alpha: scale(mat.mv(vec_t), alpha),
    },
)
derivative(
    "addr",  # the vectors' dtypes may differ from each other and from the result's
    self=lambda grad, beta: scale(grad, conj(beta)),
    vec1=lambda grad, vec2, alpha: scale(grad.mv(vec2.conj().to(grad.dtype)), conj(alpha)),
    vec2=lambda grad, vec1, alpha: scale(grad.t().mv(vec1.conj().to(grad.dtype)), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scale(self_t, beta),
        "vec1": lambda vec1_t, vec2, alpha: scale(outer(vec1_t, vec2), alpha),
        "vec2": lambda vec2_t, vec1, alpha: scale(outer(vec1, vec2_t), alpha),
    },
)
derivative(
    "baddbmm",
    self=lambda grad, beta: scale(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: scale(grad.bmm(adjoint(batch2)), conj(alpha)),
    batch2=lambda grad, batch1, alpha: scale(adjoint(batch1).bmm(grad), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scale(self_t, beta),
        "batch1": lambda batch1_t, batch2, alpha: scale(batch1_t.bmm(batch2), alpha),
        "batch2": lambda batch2_t, batch1, alpha: scale(batch1.bmm(batch2_t), alpha),
    },
)


def of_each(grad: Tensor, batch: Tensor) -> Tensor:
    """The gradient of a batch's sum for each of the batch."""
    return grad.unsqueeze(0).expand(batch.shape[0], *grad.shape)


derivative(
    "addbmm",
    self=lambda grad, beta: scale(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: scale(of_each(grad, batch2).bmm(adjoint(batch2)), conj(alpha)),
    batch2=lambda grad, batch1, alpha: scale(adjoint(batch1).bmm(of_each(grad, batch1)), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scale(self_t, beta),
        "batch1": lambda batch1_t, batch2, alpha: scale(batch1_t.bmm(batch2).sum(0), alpha),
        "batch2": lambda batch2_t, batch1, alpha: scale(batch1.bmm(batch2_t).sum(0), alpha),
    },
)
