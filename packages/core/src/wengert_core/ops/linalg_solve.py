"""Inverses, linear systems, determinants, Cholesky's factor."""

from __future__ import annotations

from typing import Any

from wengert_core.caution import warn_user
from wengert_core.linalg_error import LinAlgError
from wengert_core.named import result_type
from wengert_core.ops import linalg_arrays as arrays
from wengert_core.ops.linalg_checks import (
    all_given,
    check_floating,
    check_invertible,
    check_kernel,
    check_matrix,
    check_same_dtype,
    check_square,
    check_system,
    check_tensor,
    first_failure,
    given,
    type_name,
)
from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor

array, composite, ops = TABLE.array, TABLE.composite, TABLE.ops
BOTH = ("array", "array")


# ---- inverse
inv_op = array(
    "linalg_inv_ex(Tensor A) -> (Tensor inverse, Tensor info)",
    reference=arrays.inverse,
    results=BOTH,
    method=False,
    doc="The inverse, and 0 or the number of the diagonal element that was zero.",
)


def inverted(name: str, A: Any) -> tuple[Any, Any]:
    """(inverse, info), of what has one."""
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    pair: tuple[Any, Any] = inv_op(A)
    return pair


def inv_ex(A: Tensor, *, check_errors: bool = False, out: Any = None) -> Any:
    """(inverse, info): info is 0, or the number of the diagonal element that was zero; NaN is the inverse then."""
    pair = inverted("linalg.inv_ex", A)
    if check_errors:
        check_invertible("linalg.inv_ex", pair[1])
    return all_given("linalg_inv_ex", pair, ("inverse", "info"), out)


def inv(A: Tensor, *, out: Any = None) -> Any:
    """The inverse of square matrices; LinAlgError when one is singular."""
    result, info = inverted("linalg.inv", A)
    check_invertible("linalg.inv", info)
    return given("linalg_inv_ex", result, out)


def inverse(input: Tensor, *, out: Any = None) -> Any:
    """linalg.inv, by its older name."""
    return inv(input, out=out)


# ---- linear systems
def is_vector(a_shape: Any, b_shape: Any) -> bool:
    """Whether B is one vector, or a batch of vectors that is as large as A's batch."""
    return len(b_shape) == 1 or (len(a_shape) - 1 == len(b_shape) and tuple(a_shape[:-1]) == tuple(b_shape))


def solved(xp: Any, a: Any, b: Any, left: bool) -> tuple[Any, Any]:
    """The reference of solve."""
    if is_vector(a.shape, b.shape):
        x, info = arrays.solution(xp, a, b[..., None])
        return x[..., 0], info
    if left:
        return arrays.solution(xp, a, b)
    x, info = arrays.solution(xp, a.swapaxes(-2, -1), b.swapaxes(-2, -1))
    return x.swapaxes(-2, -1), info


solve_op = array(
    "linalg_solve_ex(Tensor A, Tensor B, *, bool left=True) -> (Tensor result, Tensor info)",
    reference=solved,
    results=BOTH,
    method=False,
    doc="X of A X = B, and 0 or the number of the pivot that was zero.",
)


def checked_solve(A: Any, B: Any, left: bool) -> tuple[Any, Any]:
    """(result, info), with torch's errors."""
    check_square("linalg.solve", A)
    check_floating("linalg.solve", A)
    check_tensor("linalg_solve", B, "B", 2)
    check_same_dtype("linalg.solve", A, B)
    vector = is_vector(A.shape, B.shape)
    if not vector:
        check_matrix("linalg.solve", B, "B")
    elif not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check_system("linalg.solve", A, B.unsqueeze(-1) if vector else B, left)
    pair: tuple[Any, Any] = solve_op(A, B, left=left)
    return pair


def check_solved(name: str, info: Tensor) -> None:
    """LinAlgError when a matrix was singular."""
    batch, place = first_failure(info)
    if place:
        raise LinAlgError(f"{name}: {batch}The solver failed because the input matrix is singular.")


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """(result, info) of A X = B: info is 0, or the number of the pivot that was zero; NaN is the result then."""
    pair = checked_solve(A, B, left)
    if check_errors:
        check_solved("torch.linalg.solve_ex", pair[1])
    return all_given("linalg_solve_ex", pair, ("result", "info"), out)


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Any:
    """X of A X = B (of X A = B for left=False): of matrices, or of a vector; LinAlgError when A is singular."""
    result, info = checked_solve(A, B, left)
    check_solved("torch.linalg.solve", info)
    return given("linalg_solve_ex", result, out)


# ---- triangular systems
def solved_triangular(xp: Any, a: Any, b: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """The reference of solve_triangular."""
    if left:
        return arrays.solve_triangular(xp, a, b, upper, unitriangular)
    x = arrays.solve_triangular(xp, a.swapaxes(-2, -1), b.swapaxes(-2, -1), not upper, unitriangular)
    return x.swapaxes(-2, -1)


triangular_op = array(
    "linalg_solve_triangular(Tensor A, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
    reference=solved_triangular,
    results=("array",),
    method=False,
    doc="X of A X = B for a triangular A.",
)


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Any = None
) -> Any:
    """X of A X = B (of X A = B for left=False), where a triangle of A is read; unitriangular: its diagonal is ones."""
    name = "linalg.solve_triangular"
    check_square(name, A)
    check_matrix(name, B, "B")
    check_system(name, A, B, left)
    check_kernel("triangular_solve_cpu", A)
    check_same_dtype(name, A, B)
    result = triangular_op(A, B, upper=upper, left=left, unitriangular=unitriangular)
    return given("linalg_solve_triangular", result, out)


# ---- determinants
det_op = array(
    "linalg_det(Tensor A) -> Tensor",
    reference=lambda xp, a: xp.linalg.det(a),
    results=("array",),
    method=False,
    doc="The determinant.",
)
slogdet_op = array(
    "linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
    reference=lambda xp, a: tuple(xp.linalg.slogdet(a)),
    results=BOTH,
    method=False,
    doc="The determinant's sign (or phase) and the logarithm of its size.",
)


def check_determined(name: str, A: Any) -> None:
    """What determinants refuse."""
    check_square(name, A)
    if A.dtype.category < 2:
        check_floating(name, A)
    check_kernel("lu_cpu", A)


def linalg_det(A: Tensor, *, out: Any = None) -> Any:
    """The determinant of square matrices."""
    check_determined("linalg.det", A)
    return given("linalg_det", det_op(A), out)


def det(input: Tensor) -> Any:
    """The determinant of square matrices."""
    return linalg_det(input)


def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    """(sign, logabsdet): the determinant is sign * exp(logabsdet); 0 and -inf for a singular matrix."""
    check_determined("linalg.slogdet", A)
    return all_given("linalg_slogdet", slogdet_op(A), ("sign", "logabsdet"), out)


def slogdet(input: Tensor) -> Any:
    """(sign, logabsdet) of the determinant."""
    check_determined("linalg.slogdet", input)
    return all_given("slogdet", slogdet_op(input), ("sign", "logabsdet"), None)


def logdet(input: Tensor) -> Any:
    """The logarithm of the determinant: -inf when it is 0, NaN when it is negative."""
    check_determined("logdet", input)
    sign, size = slogdet_op(input)
    if input.dtype.category == 3:
        return sign.log() + size
    size = ops["where"](sign == 0, float("-inf"), size)  # of which nothing goes back
    return ops["where"](sign == -1, float("nan"), size)


# ---- Cholesky
cholesky_op = array(
    "linalg_cholesky_ex(Tensor A, *, bool upper=False) -> (Tensor L, Tensor info)",
    reference=arrays.cholesky,
    results=BOTH,
    method=False,
    doc="Cholesky's factor, and 0 or the order of the leading minor that is not positive.",
)


def factored(A: Any, upper: bool) -> tuple[Any, Any]:
    """(L, info), of what may have one."""
    check_square("linalg.cholesky", A)
    check_floating("linalg.cholesky", A)
    pair: tuple[Any, Any] = cholesky_op(A, upper=upper)
    return pair


def check_definite(name: str, info: Tensor) -> None:
    """LinAlgError when a matrix was not positive-definite."""
    batch, order = first_failure(info)
    if order:
        raise LinAlgError(
            f"{name}: {batch}The factorization could not be completed because the input is not positive-definite (the "
            f"leading minor of order {order} is not positive-definite)."
        )


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """(L, info): info is 0, or the order of the first leading minor of A that is not positive-definite."""
    pair = factored(A, upper)
    if check_errors:
        check_definite("linalg.cholesky_ex", pair[1])
    return all_given("linalg_cholesky_ex", pair, ("L", "info"), out)


def linalg_cholesky(A: Tensor, *, upper: bool = False, out: Any = None) -> Any:
    """L, lower triangular, of A = L L^H; upper: U of A = U^H U. LinAlgError when A is not positive-definite."""
    factor, info = factored(A, upper)
    check_definite("linalg.cholesky", info)
    return given("linalg_cholesky_ex", factor, out)


def cholesky(input: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    """linalg.cholesky, by its older name."""
    warn_user(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A) should be replaced with L = torch.linalg.cholesky(A)"
    )
    factor, info = factored(input, upper)
    check_definite("cholesky", info)
    return given("cholesky", factor, out)


def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    """X of A X = input, where L is Cholesky's factor of A."""
    for name, x in (("b", input), ("u", L)):
        if x.dim() < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.dim()} dimensions instead")
    check_square("", L)
    if L.shape[-1] != input.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {L.shape[-1]} by {L.shape[-1]} but each b "
            f"matrix is {input.shape[-2]} by {input.shape[-1]}"
        )
    if input.dtype != L.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {type_name(input)} and A of type "
            f"{type_name(L)} instead."
        )
    check_kernel("cholesky_solve_cpu", L)
    adjoint = ops["adjoint"](L)
    first, second = (adjoint, L) if upper else (L, adjoint)
    result = triangular_op(second, triangular_op(first, input, upper=False), upper=True)
    return given("cholesky_solve", result, out)


def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    """The inverse of A, where L is Cholesky's factor of A."""
    check_square("cholesky_inverse", L)
    check_kernel("cholesky_inverse_out_cpu", L)
    zero = L.diagonal(0, -2, -1) == 0
    if zero.any().item():
        order = ops["arange"](1, L.shape[-1] + 1)
        place = ops["where"](zero, order, L.shape[-1] + 1).amin(-1) * zero.any(-1)
        check_invertible("cholesky_inverse", place)
    inverse = triangular_op(L, ops["eye"](L.shape[-1], dtype=L.dtype), upper=upper)
    adjoint = ops["adjoint"](inverse)
    result = ops["matmul"](inverse, adjoint) if upper else ops["matmul"](adjoint, inverse)
    return given("cholesky_inverse", result, out)


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False, *, out: Any = None
) -> Any:
    """(solution, cloned_coefficient) of A X = b for a triangular A; linalg.solve_triangular has taken its place."""
    warn_user(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular and will be removed in a "
        "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy "
        "of one of the inputs.\nX = torch.triangular_solve(B, A).solution should be replaced with "
        "X = torch.linalg.solve_triangular(A, B)."
    )
    check_square("triangular_solve", A)
    check_matrix("triangular_solve", b, "b")
    check_system("triangular_solve", A, b, True)
    matrix = A.mT if transpose else A
    x = triangular_op(matrix, b, upper=upper != transpose, unitriangular=unitriangular)
    pair = (x, A.expand(*x.shape[:-2], *A.shape[-2:]).clone())
    if out is not None:
        return all_given("triangular_solve", pair, ("solution", "cloned_coefficient"), out)
    return result_type("triangular_solve", ("solution", "cloned_coefficient"))(*pair)


for FUNCTION in (inv, inv_ex, solve, solve_ex, solve_triangular, cholesky_ex):
    composite(FUNCTION, namespace="linalg")
for FUNCTION, NAME in ((linalg_det, "det"), (linalg_slogdet, "slogdet"), (linalg_cholesky, "cholesky")):
    composite(FUNCTION, name=NAME, namespace="linalg")
for METHOD in (inverse, det, slogdet, logdet, cholesky, cholesky_solve, cholesky_inverse, triangular_solve):
    composite(METHOD, method=True)
