"""Functions of matrices: exponential, powers, products of reflections, tensors as matrices."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.composite_arguments import give_result
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.linalg import linalg_lapack as lapack
from wengert_core.ops.linalg.linalg_checks import by_columns, check_floating, check_kernel, check_matrix, check_square
from wengert_core.ops.linalg.linalg_solve import inv, solve
from wengert_core.ops.linalg.matmul import matmul
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

array, composite, ops = TABLE.array, TABLE.composite, TABLE.ops

# ---- exponential
DEGREE = 13
BOUND = 5.371920351148152
"""Up to this 1-norm the Pade approximant of degree 13 has the precision of float64."""
PADE = [
    math.comb(DEGREE, i) * math.factorial(2 * DEGREE - i) / math.factorial(2 * DEGREE) for i in range(DEGREE + 1)
]
"""Its coefficients, from 1 on, so that the exponential of 0 is exactly 1."""


def exponential(xp: Any, a: Any) -> Any:
    """The reference of matrix_exp: a Pade approximant of a / 2**s, squared s times, s for each matrix.

    In double precision, as NumPy's linear algebra is: the squares of single precision would add up their errors.

    Source: Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl.
    26 (2005), algorithm 2.3.
    """
    if not a.size:
        return xp.array(a)
    dtype, a = a.dtype, a.astype(xp.result_type(a.dtype, xp.float64))
    norm = abs(a).sum(-2).max(-1)
    ratio = xp.where(xp.isfinite(norm) & (norm > BOUND), norm / BOUND, 1)
    times = xp.ceil(xp.log2(ratio)).astype(int)
    x = a / (2.0**times)[..., None, None]
    one = xp.eye(a.shape[-1], dtype=a.dtype)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    b = PADE
    odd = x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * one
    even = x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * one
    u = x @ odd
    result = lapack.solve(xp, even - u, even + u)
    for i in range(int(times.max())):
        result = xp.where((times > i)[..., None, None], result @ result, result)
    return result.astype(dtype)


exp_op = array(
    "linalg_matrix_exp(Tensor A) -> Tensor",
    reference=exponential,
    results=("same",),
    method=False,
)


def linalg_matrix_exp(A: Tensor) -> Any:
    check_square("linalg.matrix_exp", A)
    check_floating("linalg.matrix_exp", A, low=True)
    return exp_op(A)


def matrix_exp(input: Tensor) -> Any:
    return linalg_matrix_exp(input)


# ---- powers
def power(name: str, A: Tensor, n: Any, out: Any) -> Any:
    """A^n by squaring; of a negative power the inverse's."""
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"{name}(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    check_square("linalg.matrix_power", A)
    if n == 0:
        one = ops["eye"](A.shape[-1], dtype=A.dtype, device=A.device)
        result = A.clone().copy_(one) if out is None else one  # A takes part, with derivative 0
    elif n == 1:
        result = A.clone()
    else:
        result = matrix_power_steps(inv(A), -n) if n < 0 else matrix_power_steps(A, n)
    return give_result("linalg_matrix_power", result, out, strict=n not in (0, 1))  # these are copied


def matrix_power_steps(A: Tensor, n: int) -> Any:
    """A^n for n > 0."""
    result, square = None, A
    while n:
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
        square = matmul(square, square) if n else square
    return result


def linalg_matrix_power(A: Tensor, n: int, *, out: Any = None) -> Any:
    return power("linalg_matrix_power", A, n, out)


def matrix_power(input: Tensor, n: int, *, out: Any = None) -> Any:
    return power("matrix_power", input, n, out)


# ---- reflections
def householder_product(input: Tensor, tau: Tensor, *, out: Any = None) -> Any:
    name = "torch.linalg.householder_product"
    if input.dim() < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    m, n = input.shape[-2:]
    if m < n:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if n < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if input.dim() - tau.dim() != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.dim()} and "
            f"input.ndim is equal to {input.dim()}"
        )
    if tuple(input.shape[:-2]) != tuple(tau.shape[:-1]):
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}"
        )
    if tau.dtype != input.dtype:
        raise RuntimeError(f"{name}: tau dtype {type_name(tau)} does not match input dtype {type_name(input)}")
    check_kernel("orgqr_cpu", input)
    return give_result("linalg_householder_product", product_op(input, tau), out, strict=False)


def apply_reflections(input: Tensor, tau: Tensor, x: Any, order: Any, adjoint: bool) -> Any:
    """x after the reflections in the order given; adjoint: with tau conjugated."""
    v = input.tril(-1) + ops["eye"](*input.shape[-2:], dtype=input.dtype, device=input.device)
    factor = tau.conj() if adjoint else tau
    for i in order:
        column = v.narrow(-1, i, 1)
        x = x - factor.narrow(-1, i, 1).unsqueeze(-1) * matmul(column, matmul(ops["adjoint"](column), x))
    return x


def product_of_reflections(input: Tensor, tau: Tensor) -> Any:
    """The stages of linalg.householder_product."""
    one = ops["eye"](*input.shape[-2:], dtype=input.dtype, device=input.device).expand(*input.shape)
    result = apply_reflections(input, tau, one, reversed(range(tau.shape[-1])), False)
    return by_columns(result if tau.shape[-1] else result.clone())


def times_reflections(self: Tensor, input2: Tensor, input3: Tensor, left: bool, transpose: bool) -> Any:
    """The stages of ormqr."""
    x = input3 if left else ops["adjoint"](input3)
    adjoint = transpose == left  # (C Q)^H = Q^H C^H
    steps = range(input2.shape[-1])
    x = apply_reflections(self, input2, x, steps if adjoint else reversed(steps), adjoint)
    return by_columns(x if left else ops["adjoint"](x))


def numpy_reflections(xp: Any, a: Any, tau: Any, columns: int) -> Any:
    """The first columns of the product of reflections, of arrays."""
    m, n = a.shape[-2:]
    q, v = xp.eye(m, dtype=a.dtype), xp.tril(a, -1) + xp.eye(m, n, dtype=a.dtype)
    for i in range(tau.shape[-1]):
        column = v[..., :, i, None]
        q = q @ (xp.eye(m, dtype=a.dtype) - tau[..., i, None, None] * column @ xp.conj(column.swapaxes(-2, -1)))
    return q[..., :columns]


def numpy_ormqr(xp: Any, a: Any, tau: Any, other: Any, left: bool, transpose: bool) -> Any:
    """The reference of ormqr."""
    q = numpy_reflections(xp, a, tau, a.shape[-2])
    q = xp.conj(q.swapaxes(-2, -1)) if transpose else q
    return q @ other if left else other @ q


product_op = TABLE.staged(
    "linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
    stages=product_of_reflections,
    reference=lambda xp, a, tau: numpy_reflections(xp, a, tau, a.shape[-1]),
    key="_linalg_householder_product",
    method=False,
    out=False,
    doc="The first columns of the product of reflections.",
)
ormqr_op = TABLE.staged(
    "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
    stages=times_reflections,
    reference=numpy_ormqr,
    key="_ormqr",
    method=False,
    out=False,
    doc="A matrix times the product of reflections.",
)


def orgqr(input: Tensor, input2: Tensor, *, out: Any = None) -> Any:
    return householder_product(input, input2, out=out)


def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False, *, out: Any = None
) -> Any:
    name = "torch.ormqr"
    check_matrix(name, input, "input")
    if tau.dim() != input.dim() - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.dim()} and "
            f"input.ndim is equal to {input.dim()}"
        )
    check_matrix(name, other, "other")
    if other.dim() != input.dim():
        raise RuntimeError(
            f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{other.dim()} and input.ndim is equal to {input.dim()}"
        )
    for label, batch in (("tau", tau.shape[:-1]), ("other", other.shape[:-2])):
        if tuple(batch) != tuple(input.shape[:-2]):
            raise RuntimeError(
                f"{name}: Expected batch dimensions of {label} to be equal to input.shape[:-2], but got {list(batch)}"
            )
    if other.shape[-2 if left else -1] != input.shape[-2]:
        dim = -2 if left else -1
        raise RuntimeError(
            f"{name}: other.shape[{dim}] must be equal to input.shape[-2]: got {other.shape[dim]} and {input.shape[-2]}"
        )
    if not input.dtype == tau.dtype == other.dtype:
        raise RuntimeError(
            f"{name}: Expected input, tau and other to have the same dtype, but got {type_name(input)}, "
            f"{type_name(tau)} and {type_name(other)}"
        )
    check_kernel("ormqr_cpu", input)
    return give_result("ormqr", ormqr_op(input, tau, other, left, transpose), out)


# ---- tensors as matrices
def tensorinv(A: Tensor, ind: int = 2, *, out: Any = None) -> Any:
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > A.dim():
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A.dim()}: A has too few dims")
    rows, columns = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(columns)} != {math.prod(rows)}"
        )
    result = inv(A.reshape(math.prod(rows), math.prod(columns))).reshape((*columns, *rows))
    return give_result("linalg_tensorinv", result, out, strict=False)


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Any = None) -> Any:
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.dim() - len(dims), A.dim())))
    shape = tuple(A.shape[B.dim() :])
    if math.prod(shape) != math.prod(A.shape[: B.dim()]):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {math.prod(shape)} != {math.prod(A.shape[: B.dim()])}"
        )
    result = solve(A.reshape(math.prod(shape), math.prod(shape)), B.reshape(B.numel())).reshape(shape)
    return give_result("linalg_tensorsolve", result, out, strict=False)


# ---- Vandermonde's matrix
def linalg_vander(x: Tensor, *, N: int | None = None) -> Any:
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {type_name(x)}"
        )
    if x.dim() == 0:
        x = x.reshape(1)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    return powers(x, n)


def powers(x: Tensor, n: int) -> Any:
    """1, x, x^2, ... as a last dim of size n."""
    one = ops["ones_like"](x).unsqueeze(-1)
    return ops["cat"]([one, x.unsqueeze(-1).expand(*x.shape, n - 1).cumprod(-1)], -1)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    result = powers(x, n) if n > 1 else ops["ones_like"](x).unsqueeze(-1).narrow(-1, 0, n)
    return result if increasing else result.flip(-1)


for FUNCTION in (householder_product, tensorinv, tensorsolve):
    composite(FUNCTION, namespace="linalg")
composite(linalg_matrix_exp, name="matrix_exp", namespace="linalg")
composite(linalg_matrix_power, name="matrix_power", namespace="linalg")
composite(linalg_vander, name="vander", namespace="linalg")
for METHOD in (matrix_exp, matrix_power, orgqr, ormqr):
    composite(METHOD, method=True)
composite(vander)
