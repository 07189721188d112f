"""LU with partial pivoting, and what is made of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.drivers.composite_arguments import check_tensor, give_result, give_results
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.ops.linalg import linalg_lapack as lapack
from wengert_core.ops.linalg import linalg_reference as arrays
from wengert_core.ops.linalg.linalg_checks import (
    check_kernel,
    check_matrix,
    check_same_dtype,
    check_square,
    check_system,
    first_failure,
)
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.named_tuple import result_type
from wengert_core.tensors.tensor import Tensor

array, factoring, composite, ops = TABLE.array, TABLE.factoring, TABLE.composite, TABLE.ops
staged = TABLE.staged
INT32 = DTYPES["int32"]

factor_op = factoring(
    "linalg_lu_factor_ex(Tensor A) -> (Tensor LU, Tensor pivots, Tensor info)",
    way="lu",
    reference=arrays.lu_factor,
    results=("columns", "array", "array"),
)
order_op = array(
    "_lu_permutation(Tensor pivots, int rows) -> Tensor",
    reference=arrays.permutation,
    results=("int64",),
    method=False,
    no_record=True,
    doc="Which row of A each row of L U is.",
)


def lu_factors(A: Any, pivot: bool) -> Any:
    """(LU, pivots, info), with torch's errors."""
    check_tensor("linalg_lu_factor", A)
    if A.dim() < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    check_kernel("lu_cpu", A)
    return factor_op(A)


def check_regular(name: str, info: Tensor) -> None:
    """RuntimeError when U has a zero on its diagonal."""
    batch, position = first_failure(info)
    if position:
        raise RuntimeError(
            f"{name}: {batch}U[{position},{position}] is zero and using it on lu_solve would result in a "
            f"division by zero. "
            "If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )


def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    LU, pivots, info = lu_factors(A, pivot)
    check_regular("torch.linalg.lu_factor", info)
    return give_results("linalg_lu_factor", (LU, pivots), ("LU", "pivots"), out)


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    parts = lu_factors(A, pivot)
    if check_errors:
        check_regular("torch.linalg.lu_factor_ex", parts[2])
    return give_results("linalg_lu_factor_ex", parts, ("LU", "pivots", "info"), out)


# ---- the three factors
def permutation_matrix(pivots: Tensor, rows: int, dtype: Any) -> Any:
    """P of A = P L U."""
    order = order_op(pivots, rows)
    return (order.unsqueeze(-2) == ops["arange"](rows, device=pivots.device).unsqueeze(-1)).to(dtype)


def triangles(LU: Tensor) -> tuple[Any, Any]:
    """L with its ones, and U."""
    (m, n), k = LU.shape[-2:], min(LU.shape[-2:])
    lower, upper = LU if m >= n else LU.narrow(-1, 0, k), LU if n >= m else LU.narrow(-2, 0, k)
    return lower.tril(-1) + ops["eye"](m, k, dtype=LU.dtype, device=LU.device), upper.triu()


def three_factors(A: Tensor, pivot: bool) -> tuple[Any, ...]:
    """The stages of linalg.lu."""
    LU, pivots, _ = lu_factors(A, pivot)
    return (permutation_matrix(pivots, A.shape[-2], A.dtype), *triangles(LU))


def unpack_stages(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool, unpack_pivots: bool) -> tuple[Any, ...]:
    """The stages of lu_unpack."""
    matrix = permutation_matrix(LU_pivots, LU_data.shape[-2], LU_data.dtype) if unpack_pivots else None
    lower, upper = triangles(LU_data) if unpack_data else (None, None)
    return tuple(LU_data.new_empty(0) if x is None else x for x in (matrix, lower, upper))


def unpack_reference(xp: Any, LU: Any, pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """The reference of lu_unpack."""
    m, k = LU.shape[-2], min(LU.shape[-2:])
    empty = LU[:0].reshape(-1)
    order = arrays.permutation(xp, pivots, m)
    matrix = (order[..., None, :] == xp.arange(m)[:, None]).astype(LU.dtype) if unpack_pivots else empty
    lower, upper = xp.tril(LU[..., :k], -1) + xp.eye(m, k, dtype=LU.dtype), xp.triu(LU[..., :k, :])
    return (matrix, lower, upper) if unpack_data else (matrix, empty, empty)


factors_op = staged(
    "linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
    stages=three_factors,
    reference=lambda xp, a, pivot: unpack_reference(xp, *arrays.lu_factor(xp, a)[:2]),
    key="_linalg_lu",
    method=False,
    out=False,
    doc="P, L and U of A = P L U.",
)
unpack_op = staged(
    "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) "
    "-> (Tensor P, Tensor L, Tensor U)",
    stages=unpack_stages,
    reference=unpack_reference,
    key="_lu_unpack",
    method=False,
    out=False,
    doc="P, L and U of what linalg.lu_factor gives.",
)


def lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    check_tensor("linalg_lu", A)
    return give_results("linalg_lu", factors_op(A, pivot=pivot), ("P", "L", "U"), out)


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True, *, out: Any = None
) -> Any:
    check_matrix("torch.lu_unpack", LU_data, "LU_data")
    if unpack_pivots:
        if LU_pivots.dtype != INT32:
            raise RuntimeError(
                "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
                "function is intended to be used with the output produced by torch.linalg.lu_factor"
            )
        pivots = every_sample(LU_pivots)
        if pivots.numel() and not 1 <= pivots.amin().item() <= pivots.amax().item() <= LU_data.shape[-2]:
            raise RuntimeError(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the "
                "result of lu_factor?"
            )
    return give_results("lu_unpack", unpack_op(LU_data, LU_pivots, unpack_data, unpack_pivots), ("P", "L", "U"), out)


# ---- systems
def numpy_lu_solve(xp: Any, LU: Any, pivots: Any, b: Any, left: bool, adjoint: bool) -> Any:
    """The reference of linalg.lu_solve."""
    if xp is np and ((pivots < 1) | (pivots > LU.shape[-1])).any():  # elsewhere to look would mean to wait
        raise RuntimeError(
            f"linalg_lu_solve: pivots must be between 1 and {LU.shape[-1]} inclusive, the number of rows; lu_factor "
            "gives such ones"
        )
    matrix, lower, upper = unpack_reference(xp, LU, pivots)
    a = matrix @ lower @ upper
    a = xp.conj(a.swapaxes(-2, -1)) if adjoint else a
    return lapack.solve(xp, a, b) if left else b @ arrays.inverse(xp, a)[0]


solve_op = factoring(
    "linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
    way="lu_solve",
    reference=numpy_lu_solve,
    results=("columns",),
)


def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Any = None
) -> Any:
    name = "linalg.lu_solve"
    check_square(name, LU, "LU")
    check_matrix(name, B, "B")
    check_kernel("lu_solve_cpu", LU)
    check_same_dtype(name, LU, B, "LU", "B")
    if pivots.dtype != INT32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    if not pivots.dim() or pivots.size(-1) != LU.size(-1):
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    check_system(name, LU, B, left)
    return give_result("linalg_lu_solve", solve_op(LU, pivots, B, left=left, adjoint=adjoint), out)


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Any:
    warn_user(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solve and will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots) "
        "should be replaced with X = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return linalg_lu_solve(LU_data, LU_pivots, b, out=out)


def old_lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    warn_user(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots) should be replaced with LU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)"
    )
    LU, pivots, info = lu_factors(A, pivot)
    if not get_infos:
        check_regular("torch.linalg.lu_factor", info)
    parts = (LU, pivots, info) if get_infos else (LU, pivots)
    if out is not None:
        return tuple(give_result("lu", part, target, strict=False) for part, target in zip(parts, out, strict=True))
    return result_type("_lu_with_info", ("LU", "pivots", "info"))(parts) if get_infos else parts


def lu_method(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """(LU, pivots), with get_infos (LU, pivots, info)."""
    return TABLE.ops["lu"](self, pivot, get_infos)


composite(linalg_lu_solve, name="lu_solve", namespace="linalg")
for FUNCTION in (lu_factor, lu_factor_ex, lu):
    composite(FUNCTION, namespace="linalg")
composite(lu_solve, method=True)
composite(lu_unpack)
composite(old_lu, name="lu")
TABLE.methods["lu"] = lu_method
