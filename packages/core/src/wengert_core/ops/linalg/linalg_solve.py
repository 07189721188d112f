"""Inverses, linear systems, triangular systems."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import check_tensor, give_result, give_results
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.linalg import linalg_lapack as lapack
from wengert_core.ops.linalg import linalg_reference as arrays
from wengert_core.ops.linalg.linalg_checks import (
    by_columns,
    check_floating,
    check_invertible,
    check_kernel,
    check_matrix,
    check_same_dtype,
    check_square,
    check_system,
    first_failure,
)
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

factoring, composite = TABLE.factoring, TABLE.composite
BOTH = ("columns", "array")



# ---- inverse
inv_op = factoring(
    "linalg_inv_ex(Tensor A) -> (Tensor inverse, Tensor info)",
    way="inverse",
    reference=arrays.inverse,
    results=BOTH,
)


def inverse_and_info(name: str, A: Any) -> tuple[Any, Any]:
    """(inverse, info), of what has one."""
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    pair: tuple[Any, Any] = inv_op(A)
    return pair


def inv_ex(A: Tensor, *, check_errors: bool = False, out: Any = None) -> Any:
    pair = inverse_and_info("linalg.inv_ex", A)
    if check_errors:
        check_invertible("linalg.inv_ex", pair[1])
    return give_results("linalg_inv_ex", pair, ("inverse", "info"), out)


def inv(A: Tensor, *, out: Any = None) -> Any:
    result, info = inverse_and_info("linalg.inv", A)
    check_invertible("linalg.inv", info)
    return give_result("linalg_inv_ex", result, out)


def inverse(input: Tensor, *, out: Any = None) -> Any:
    return inv(input, out=out)


# ---- linear systems
def is_vector(a_shape: Any, b_shape: Any) -> bool:
    """Whether B is one vector, or a batch of vectors that is as large as A's batch."""
    return len(b_shape) == 1 or (len(a_shape) - 1 == len(b_shape) and tuple(a_shape[:-1]) == tuple(b_shape))


def solve_reference(xp: Any, a: Any, b: Any, left: bool) -> tuple[Any, Any, Any, Any]:
    """The reference of solve."""
    LU, pivots, info = arrays.lu_factor(xp, a)
    if is_vector(a.shape, b.shape):
        x = lapack.solve(xp, a, b[..., None])[..., 0]
    elif left:
        x = lapack.solve(xp, a, b)
    else:
        x = lapack.solve(xp, a.swapaxes(-2, -1), b.swapaxes(-2, -1)).swapaxes(-2, -1)
    return x, info, LU, pivots


solve_op = factoring(
    "linalg_solve_ex(Tensor A, Tensor B, *, bool left=True) "
    "-> (Tensor result, Tensor info, Tensor LU, Tensor pivots)",
    way="solve",
    reference=solve_reference,
    results=("columns", "array", "columns", "array"),
)


def checked_solve(A: Any, B: Any, left: bool) -> tuple[Any, Any]:
    """(result, info), with torch's errors."""
    check_square("linalg.solve", A)
    check_floating("linalg.solve", A, kernel="lu_cpu")
    check_tensor("linalg_solve", B, "B", 2)
    check_same_dtype("linalg.solve", A, B)
    vector = is_vector(A.shape, B.shape)
    if not vector:
        check_matrix("linalg.solve", B, "B")
    check_system("linalg.solve", A, B.unsqueeze(-1) if vector else B, left)
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    pair: tuple[Any, Any] = solve_op(A, B, left=left)[:2]
    return pair


def check_solved(name: str, info: Tensor) -> None:
    """LinAlgError when a matrix was singular."""
    batch, position = first_failure(info)
    if position:
        raise LinAlgError(f"{name}: {batch}The solver failed because the input matrix is singular.")


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    pair = checked_solve(A, B, left)
    if check_errors:
        check_solved("torch.linalg.solve_ex", pair[1])
    return give_results("linalg_solve_ex", pair, ("result", "info"), out)


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Any:
    result, info = checked_solve(A, B, left)
    check_solved("torch.linalg.solve", info)
    return give_result("linalg_solve_ex", result, out)


# ---- triangular systems
def triangular_reference(xp: Any, a: Any, b: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """The reference of solve_triangular."""
    if left:
        return arrays.solve_triangular(xp, a, b, upper, unitriangular)
    x = arrays.solve_triangular(xp, a.swapaxes(-2, -1), b.swapaxes(-2, -1), not upper, unitriangular)
    return x.swapaxes(-2, -1)


triangular_op = factoring(
    "linalg_solve_triangular(Tensor A, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
    way="triangular",
    reference=triangular_reference,
    results=("columns",),
)


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Any = None
) -> Any:
    name = "linalg.solve_triangular"
    check_square(name, A)
    check_matrix(name, B, "B")
    check_system(name, A, B, left)
    check_kernel("triangular_solve_cpu", A)
    check_same_dtype(name, A, B)
    result = triangular_op(A, B, upper=upper, left=left, unitriangular=unitriangular)
    return give_result("linalg_solve_triangular", result, out)


def with_coefficient(self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    """The stages of triangular_solve."""
    x = triangular_op(A.mT if transpose else A, self, upper=upper != transpose, unitriangular=unitriangular)
    return x, by_columns(A.expand(*x.shape[:-2], *A.shape[-2:]).clone())


def numpy_with_coefficient(xp: Any, b: Any, a: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    """The reference of triangular_solve."""
    x = arrays.solve_triangular(xp, a.swapaxes(-2, -1) if transpose else a, b, upper != transpose, unitriangular)
    return x, xp.array(xp.broadcast_to(a, (*x.shape[:-2], *a.shape[-2:])))


old_op = TABLE.staged(
    "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) "
    "-> (Tensor solution, Tensor cloned_coefficient)",
    stages=with_coefficient,
    reference=numpy_with_coefficient,
    key="_triangular_solve",
    method=False,
    out=False,
    doc="X of A X = self for a triangular A, and a copy of A.",
)


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False, *, out: Any = None
) -> Any:
    warn_user(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular and will be removed in a "
        "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy "
        "of one of the inputs.\nX = torch.triangular_solve(B, A).solution should be replaced with "
        "X = torch.linalg.solve_triangular(A, B)."
    )
    check_kernel("triangular_solve_cpu", A)
    check_square("triangular_solve", A)
    check_matrix("triangular_solve", b, "b")
    if b.dtype != A.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {type_name(b)} and A of type {type_name(A)} "
            "instead."
        )
    check_system("triangular_solve", A, b, True)
    pair = old_op(b, A, upper, transpose, unitriangular)
    return give_results("triangular_solve", pair, ("solution", "cloned_coefficient"), out)


for FUNCTION in (inv, inv_ex, solve, solve_ex, solve_triangular):
    composite(FUNCTION, namespace="linalg")
composite(inverse, method=True)
composite(triangular_solve, method=True)
