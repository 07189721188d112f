"""Pseudo-inverses, ranks, least squares."""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.drivers.composite_arguments import check_tensor, give_result, give_results
from wengert_core.dtypes.dtypes import ALL, type_name
from wengert_core.messages.signatures import invalid_combination
from wengert_core.ops.linalg import linalg_lapack as lapack
from wengert_core.ops.linalg.linalg_checks import check_matrix
from wengert_core.ops.linalg.linalg_spectral import checked_eigh, checked_svd, singular_triple
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

array, composite, ops = TABLE.array, TABLE.composite, TABLE.ops
PRECISION = {"float32": 2.0**-23, "complex64": 2.0**-23, "float64": 2.0**-52, "complex128": 2.0**-52}


# ---- what counts as zero
def tolerances(A: Tensor, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """(atol, rtol): eps * max(m, n) is the relative one unless an absolute one above 0 was given alone."""
    if rtol is None:
        default = PRECISION.get(A.dtype.name, 0.0) * max(A.shape[-2:])
        if atol is None:
            rtol = default
        elif isinstance(atol, Tensor):
            rtol = ops["where"](atol > 0, 0.0, default)
        else:
            rtol = 0.0 if atol > 0 else default
    return 0.0 if atol is None else atol, rtol


def column(value: Any) -> Any:
    """A tolerance for each matrix, beside its singular values."""
    return value.unsqueeze(-1) if isinstance(value, Tensor) else value


def threshold(largest: Tensor, atol: Any, rtol: Any) -> Any:
    """max(atol, rtol * largest)."""
    relative = largest * column(rtol)
    absolute = column(atol)
    return ops["maximum"](relative, absolute) if isinstance(absolute, Tensor) else relative.clamp_min(absolute)


# ---- pseudo-inverse
def pseudo_inverse(xp: Any, a: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """The reference of pinv: from singular values, or eigenvalues, that are larger than the threshold."""
    if 0 in a.shape[-2:]:
        return xp.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        values, u = lapack.eigh(xp, a, "L")
        right = u
    else:
        u, values, vh = singular_triple(xp, a, False, True)
        right = vh.swapaxes(-2, -1).conj()
    atol, rtol = (xp.asarray(t, values.dtype)[..., None] for t in (atol, rtol))
    sizes = abs(values)
    keep = sizes > xp.maximum(atol, rtol * sizes.max(-1, keepdims=True))
    inverted = xp.where(keep, 1 / xp.where(keep, values, 1), 0).astype(values.dtype)
    return (right * inverted[..., None, :]) @ u.swapaxes(-2, -1).conj()


pinv_op = array(
    "linalg_pinv(Tensor A, Any atol, Any rtol, bool hermitian=False) -> Tensor",
    reference=pseudo_inverse,
    results=("array",),
    method=False,
)


def one_tolerance(name: str, A: Tensor, first: Any, atol: Any, rtol: Any) -> None:
    """The tolerance by place, or those by name."""
    if first is not None and (atol is not None or rtol is not None):
        expected = "(Tensor A, Number tolerance) or (Tensor A, *, atol, rtol)"
        raise invalid_combination(name, (A, first, atol, rtol), expected)


def pinv(
    A: Tensor,
    rcond: float | Tensor = UNSAID,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Any = None,
) -> Any:
    check_tensor("linalg_pinv", A)
    one_tolerance("linalg_pinv", A, rcond, atol, rtol)
    if A.dim() < 2 or A.dtype.category < 2 or A.dtype.itemsize == 2:
        raise RuntimeError(
            f"linalg.pinv({type_name(A)}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )
    if hermitian and A.shape[-1] != A.shape[-2]:
        checked_eigh(A, "L", True)
    first: Any = rcond
    atol, rtol = tolerances(A, atol, rtol if first is None else first)
    return give_result("linalg_pinv", pinv_op(A, atol, rtol, hermitian), out, strict=False)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Any:
    return pinv(input, rcond)


def matrix_rank(
    A: Tensor,
    tol: float | Tensor = UNSAID,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Any = None,
) -> Any:
    check_matrix("torch.linalg.matrix_rank", A, "input")
    one_tolerance("linalg_matrix_rank", A, tol, atol, rtol)
    if A.dtype.category < 2 or A.dtype.itemsize == 2:
        raise RuntimeError(
            f"This function doesn't handle types other than float and double: matrix_rank got {type_name(A)}"
        )
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = tolerances(A, atol, rtol)
    plain = A.detach() if hasattr(A, "detach") else A
    values = checked_eigh(plain, "L", False)[0].abs() if hermitian else checked_svd(plain, False, False, None)[1]
    if not values.shape[-1]:
        rank = values.sum(-1).to(ALL["int64"])
    else:
        rank = (values > threshold(values.amax(-1, keepdim=True), atol, rtol)).sum(-1)
    return give_result("linalg_matrix_rank", rank, out, strict=False)


# ---- least squares
DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def least_squares(xp: Any, a: Any, b: Any, rcond: float, driver: str) -> Any:
    """The reference of lstsq: by singular values, whatever the driver; it says which results there are, as LAPACK's do.

    "gels" takes every matrix for one of full rank and gives no rank; only "gelsd" and "gelss" give singular values.
    """
    m, n = a.shape[-2:]
    u, values, vh = lapack.svd(xp, a, False)
    top = values.max(-1, keepdims=True) if values.shape[-1] else xp.zeros((*values.shape[:-1], 1), values.dtype)
    keep = values > (0 if driver == "gels" else rcond) * top
    inverted = xp.where(keep, 1 / xp.where(keep, values, 1), 0).astype(values.dtype)
    x = vh.swapaxes(-2, -1).conj() @ (inverted[..., None] * (u.swapaxes(-2, -1).conj() @ b))
    rank = keep.sum(-1)
    nothing = xp.zeros(0, values.dtype)
    residuals = nothing
    if m > n and driver != "gelsy" and (driver == "gels" or (rank == n).all()):
        residuals = (abs(a @ x - b) ** 2).sum(-2)
    ranks = xp.zeros(0, xp.int64) if driver == "gels" else xp.asarray(rank, xp.int64)
    return x, residuals, ranks, values if driver in ("gelsd", "gelss") else nothing


lstsq_op = array(
    "linalg_lstsq(Tensor A, Tensor B, float rcond, str driver) -> "
    "(Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    reference=least_squares,
    results=("columns", "array", "array", "array"),
    method=False,
)


def check_least_squares(A: Any, B: Any, driver: str) -> None:
    """What lstsq refuses."""
    name = "torch.linalg.lstsq"
    check_tensor("linalg_lstsq", A)
    check_tensor("linalg_lstsq", B, "B", 2)
    if A.dim() < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if B.dim() < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if not 0 <= A.dim() - B.dim() <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    if A.dim() == B.dim() and A.shape[-2] != B.shape[-2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size(-2)")
    if A.dim() == B.dim() + 1 and A.shape[-2] != B.shape[-1]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size(-1)")
    if A.dtype != B.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {type_name(A)} and "
            f"other's dtype {type_name(B)}"
        )
    if driver not in DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if A.dtype.category < 2 or A.dtype.itemsize == 2:
        raise RuntimeError(f"This function doesn't handle types other than float and double: lstsq got {type_name(A)}")


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None, out: Any = None) -> Any:
    driver = "gelsy" if driver is None else driver
    check_least_squares(A, B, driver)
    vector = A.dim() == B.dim() + 1
    right = B.unsqueeze(-1) if vector else B
    batch = ops["broadcast_shapes"](tuple(A.shape[:-2]), tuple(right.shape[:-2]))
    right = right.expand(*batch, *right.shape[-2:])
    if rcond is None:
        rcond = PRECISION[A.dtype.name] * max(A.shape[-2:])
    fields = ("solution", "residuals", "rank", "singular_values")
    x, residuals, rank, values = lstsq_op(A, right, float(rcond), driver)
    results = (x.squeeze(-1) if vector else x, residuals, rank, values)
    return give_results("linalg_lstsq", results, fields, out, strict=False)


for FUNCTION in (pinv, matrix_rank, lstsq):
    composite(FUNCTION, namespace="linalg")
composite(pinverse, method=True)
