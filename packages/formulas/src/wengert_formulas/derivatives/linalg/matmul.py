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


def scale(x: Tensor, factor: Any) -> Tensor:
    """x * factor, and x itself for 1."""
    return x if isinstance(factor, int) and factor == 1 else x * factor


derivative(
    "addmm",
    self=lambda grad, beta: scale(grad, conj(beta)),
    mat1=lambda grad, mat2, alpha: scale(grad.mm(adjoint(mat2)), conj(alpha)),
    mat2=lambda grad, mat1, alpha: scale(adjoint(mat1).mm(grad), conj(alpha)),
    jvp={
        "self": lambda self_t, beta: scale(self_t, beta),
        "mat1": lambda mat1_t, mat2, alpha: scale(mat1_t.mm(mat2), alpha),
        "mat2": lambda mat2_t, mat1, alpha: scale(mat1.mm(mat2_t), alpha),
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
