"""Derivatives of products of vectors and matrices. Batches that were broadcast are summed by the engine's edge."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, conj

multilinear, derivative = TABLE.multilinear, TABLE.derivative


def adjoint(x: Tensor) -> Tensor:
    """Matrices transposed and conjugated."""
    return x.transpose(-2, -1).conj()


multilinear("mm", self=lambda grad, mat2: grad.mm(adjoint(mat2)), mat2=lambda grad, self: adjoint(self).mm(grad))
multilinear("bmm", self=lambda grad, mat2: grad.bmm(adjoint(mat2)), mat2=lambda grad, self: adjoint(self).bmm(grad))
multilinear("mv", self=lambda grad, vec: grad.unsqueeze(1) * vec.conj(), vec=lambda grad, self: adjoint(self).mv(grad))
multilinear("dot", self=lambda grad, tensor: grad * tensor.conj(), tensor=lambda grad, self: grad * self.conj())
multilinear("vdot", self=lambda grad, other: grad.conj() * other, other=lambda grad, self: grad * self)


def scaled(x: Tensor, factor: Any) -> Tensor:
    """x * factor, and x itself for 1."""
    return x if isinstance(factor, int) and factor == 1 else x * factor


derivative(
    "addmm",
    self=lambda grad, beta: scaled(grad, conj(beta)),
    mat1=lambda grad, mat2, alpha: scaled(grad.mm(adjoint(mat2)), conj(alpha)),
    mat2=lambda grad, mat1, alpha: scaled(adjoint(mat1).mm(grad), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scaled(self_t, beta),
        "mat1": lambda mat1_t, mat2, alpha: scaled(mat1_t.mm(mat2), alpha),
        "mat2": lambda mat2_t, mat1, alpha: scaled(mat1.mm(mat2_t), alpha),
    },
)


def outer(column: Tensor, row: Tensor) -> Tensor:
    """column @ row."""
    return column.unsqueeze(1) * row


derivative(
    "addmv",
    self=lambda grad, beta: scaled(grad, conj(beta)),
    mat=lambda grad, vec, alpha: scaled(outer(grad, vec.conj()), conj(alpha)),
    vec=lambda grad, mat, alpha: scaled(adjoint(mat).mv(grad), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scaled(self_t, beta),
        "mat": lambda mat_t, vec, alpha: scaled(mat_t.mv(vec), alpha),
        "vec": lambda vec_t, mat, alpha: scaled(mat.mv(vec_t), alpha),
    },
)
derivative(
    "addr",  # the vectors' dtypes may differ from each other and from the result's
    self=lambda grad, beta: scaled(grad, conj(beta)),
    vec1=lambda grad, vec2, alpha: scaled(grad.mv(vec2.conj().to(grad.dtype)), conj(alpha)),
    vec2=lambda grad, vec1, alpha: scaled(grad.t().mv(vec1.conj().to(grad.dtype)), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scaled(self_t, beta),
        "vec1": lambda vec1_t, vec2, alpha: scaled(outer(vec1_t, vec2), alpha),
        "vec2": lambda vec2_t, vec1, alpha: scaled(outer(vec1, vec2_t), alpha),
    },
)
derivative(
    "baddbmm",
    self=lambda grad, beta: scaled(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: scaled(grad.bmm(adjoint(batch2)), conj(alpha)),
    batch2=lambda grad, batch1, alpha: scaled(adjoint(batch1).bmm(grad), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scaled(self_t, beta),
        "batch1": lambda batch1_t, batch2, alpha: scaled(batch1_t.bmm(batch2), alpha),
        "batch2": lambda batch2_t, batch1, alpha: scaled(batch1.bmm(batch2_t), alpha),
    },
)


def of_each(grad: Tensor, batch: Tensor) -> Tensor:
    """The gradient of a batch's sum for each of the batch."""
    return grad.unsqueeze(0).expand(batch.shape[0], *grad.shape)


derivative(
    "addbmm",
    self=lambda grad, beta: scaled(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: scaled(of_each(grad, batch2).bmm(adjoint(batch2)), conj(alpha)),
    batch2=lambda grad, batch1, alpha: scaled(adjoint(batch1).bmm(of_each(grad, batch1)), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scaled(self_t, beta),
        "batch1": lambda batch1_t, batch2, alpha: scaled(batch1_t.bmm(batch2).sum(0), alpha),
        "batch2": lambda batch2_t, batch1, alpha: scaled(batch1.bmm(batch2_t).sum(0), alpha),
    },
)


# ---- linear: input @ weight.T + bias
def rows(x: Tensor) -> Tensor:
    """All dims but the last joined to one."""
    return x if x.ndim == 2 else x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)


def weight_grad(grad: Tensor, input: Tensor, weight_shape: tuple[int, ...]) -> Tensor:
    """grad.T @ conj(input), over all rows."""
    if len(weight_shape) == 1:
        return grad.unsqueeze(-1) * input.conj()
    return rows(grad).t().mm(rows(input).conj())


def input_grad(grad: Tensor, weight: Tensor) -> Tensor:
    """grad @ conj(weight)."""
    return wc.matmul(grad, weight.conj()) if weight.ndim == 2 else grad.unsqueeze(-1) * weight.conj()


def linear_name(input: str, bias: str) -> str:
    """The name of the last of the nodes that torch makes of it, which are one here."""
    if input == "matrix":
        return "MmBackward0" if bias == "none" else "AddmmBackward0"
    return "UnsafeViewBackward0" if bias == "none" else "ViewBackward0"


derivative(
    "linear",
    node=linear_name,
    bias=1,  # first, as in addmm: leaves get their gradients in this order
    input=input_grad,
    weight=weight_grad,
    jvp={
        "input": lambda input_t, weight: wc.matmul(input_t, weight.t()),
        "weight": lambda weight_t, input: wc.matmul(input, weight_t.t()),
        "bias": lambda bias_t: bias_t,
    },
)

# ---- bilinear
def trilinear_gradients(grad: Tensor, i1: Tensor, i2: Tensor, i3: Tensor, needs: Any) -> Any:
    """By rows, by matrices (of the products of both rows), by rows."""
    n = i1.shape[0]
    k, i, j = i2.shape
    by_1 = by_2 = by_3 = None
    if needs[0] or needs[2]:
        each = (grad @ conj(i2).reshape(k, i * j)).reshape(n, i, j)
        by_1 = (each @ conj(i3).unsqueeze(2)).reshape(n, i) if needs[0] else None
        by_3 = (conj(i1).unsqueeze(1) @ each).reshape(n, j) if needs[2] else None
    if needs[1]:
        pairs = (conj(i1).unsqueeze(2) * conj(i3).unsqueeze(1)).reshape(n, i * j)
        by_2 = (grad.transpose(0, 1) @ pairs).reshape(k, i, j)
    return by_1, by_2, by_3


TABLE.derivative(
    "_trilinear",
    joint=trilinear_gradients,
    joint_inputs=("i1", "i2", "i3"),
    jvp={
        "i1": lambda i1_t, i2, i3: wc._trilinear(i1_t, i2, i3),
        "i2": lambda i2_t, i1, i3: wc._trilinear(i1, i2_t, i3),
        "i3": lambda i3_t, i1, i2: wc._trilinear(i1, i2, i3_t),
    },
    node="TrilinearBackward0",
)
