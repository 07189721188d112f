"""Derivatives of products of sparse matrices: that of a sparse factor is at its indices."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, parts_of_compressed
from wengert_sparse.coo.indices import coalesce
from wengert_sparse.derivatives import TABLE
from wengert_sparse.derivatives.structure import at_mask, in_layout, make
from wengert_sparse.ops.compressed import like
from wengert_sparse.ops.convert import indices_of_elements, to_dense
from wengert_sparse.ops.products import mm, spsolve
from wengert_sparse.table import TABLE as OPS


def conj(x: Tensor) -> Tensor:
    """The conjugate of a complex tensor."""
    return x.conj() if x.is_complex() else x


def conj_transpose(x: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    return conj(x).t()


def product(a: Tensor, b: Tensor) -> Tensor:
    """A product that is recorded as sparse.mm where a factor is sparse."""
    return mm(a, b) if not (is_strided(a) and is_strided(b)) else wc.mm(a, b)


def product_at(a: Tensor, b: Tensor, at: Tensor) -> Tensor:
    """The product of two matrices at the indices, and in the layout, of a sparse one."""
    if not (is_strided(a) and is_strided(b)):
        return at_mask(product(a, b), at)
    if is_coo(at):
        indices = coalesce(coo_of(at), at.shape).indices
        return make(indices, OPS.ops["_sampled_product"](indices, a, b), tuple(at.shape), True)
    values = OPS.ops["_sampled_product"](indices_of_elements(at), a, b)
    return like(at, values.reshape(parts_of_compressed(at).values.shape))


def first_grad(grad: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    """The gradient of the first factor."""
    if is_strided(mat1):
        return to_dense(product(grad, conj_transpose(mat2)))
    return product_at(grad, conj_transpose(mat2), mat1)


def second_grad(grad: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    """The gradient of the second factor."""
    if is_strided(mat2):
        return to_dense(product(conj_transpose(mat1), grad))
    return product_at(conj_transpose(mat1), grad, mat2)


def scale(x: Tensor, factor: Any) -> Tensor:
    """x times a number."""
    return x if factor == 1 else x * factor


TABLE.multilinear(
    "_compressed_mm",
    mat1=lambda grad, mat1, mat2: in_layout(wc.mm(grad, conj_transpose(mat2)), mat1),
    mat2=lambda grad, mat1, mat2: in_layout(wc.mm(conj_transpose(mat1), grad), mat2),
    node="MmBackward0",
)
TABLE.multilinear("_sparse_mm", mat1=first_grad, mat2=second_grad, node=lambda mat1, mat2: "SparseAddmmBackward0")
TABLE.derivative(
    "_sparse_addmm",
    self=lambda grad, beta: scale(grad, beta),
    mat1=lambda grad, mat1, mat2, alpha: scale(first_grad(grad, mat1, mat2), alpha),
    mat2=lambda grad, mat1, mat2, alpha: scale(second_grad(grad, mat1, mat2), alpha),
    jvp={
        "self": lambda self_t, beta: scale(self_t, beta),
        "mat1": lambda mat1_t, mat2, alpha: scale(product(mat1_t, mat2), alpha),
        "mat2": lambda mat2_t, mat1, alpha: scale(product(mat1, mat2_t), alpha),
    },
    node="SparseAddmmBackward0",
)


def sampled_first(grad: Tensor, indices: Tensor, a_shape: Any, b: Tensor) -> Tensor:
    """The gradient of the rows of a product of chosen elements."""
    return product(make(indices, grad, (a_shape[0], b.shape[1]), False), conj_transpose(b))


def sampled_second(grad: Tensor, indices: Tensor, a: Tensor, b_shape: Any) -> Tensor:
    """The gradient of the columns."""
    return product(make(indices.flip(0), grad, (b_shape[1], a.shape[0]), False), conj(a)).t()


TABLE.multilinear("_sampled_product", a=sampled_first, b=sampled_second)


def solve_adjoint(grad: Tensor, input: Tensor) -> Tensor:
    """The solution for the conjugate transpose of the matrix: the gradient of the right side."""
    return spsolve(conj_transpose(input), grad)


TABLE.derivative(
    "_spsolve",
    joint=lambda grad, input, result, needs: spsolve_grads(grad, input, result, needs),
    joint_inputs=("input", "other"),
    jvp={
        "input": lambda input_t, input, result: -spsolve(input, wc.mv(input_t, result)),
        "other": lambda other_t, input: spsolve(input, other_t),
    },
    node="SparseSpsolveBackward0",
)


def spsolve_grads(grad: Tensor, input: Tensor, result: Tensor, needs: Any) -> Any:
    """The gradients of the matrix, at its indices, and of the right side."""
    right = solve_adjoint(grad, input)
    left = product_at(-right.unsqueeze(1), conj(result).unsqueeze(0), input) if needs[0] else None
    return left, right if needs[1] else None
