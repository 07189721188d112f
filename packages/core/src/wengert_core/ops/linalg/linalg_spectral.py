"""Eigenvalues, singular values, QR."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import give_result, give_results
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.linalg import linalg_lapack as lapack
from wengert_core.ops.linalg.linalg_checks import check_floating, check_kernel, check_matrix, check_square
from wengert_core.ops.linalg.linalg_reference import has_nan
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

array, factoring, composite, ops = TABLE.array, TABLE.factoring, TABLE.composite, TABLE.ops


# ---- Hermitian matrices
def hermitian_pair(xp: Any, a: Any, UPLO: str, compute_v: bool) -> Any:
    """The reference of eigh; matrices with NaN have NaN for eigenvalues."""
    return lapack.eigh(xp, a, UPLO) if compute_v else (lapack.eigvalsh(xp, a, UPLO), xp.empty(0, a.dtype))


eigh_op = factoring(
    "linalg_eigh(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)",
    way="eigh",
    reference=hermitian_pair,
    results=("array", "columns"),
)


def checked_eigh(A: Any, UPLO: str, vectors: bool) -> Any:
    """(eigenvalues, eigenvectors), with torch's errors."""
    check_square("linalg.eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_kernel("linalg_eigh_cpu", A)
    return eigh_op(A, UPLO.upper(), vectors)


def eigh(A: Tensor, UPLO: str = "L", *, out: Any = None) -> Any:
    return give_results("linalg_eigh", checked_eigh(A, UPLO, True), ("eigenvalues", "eigenvectors"), out)


def is_recorded(A: Any) -> bool:
    """Whether A's gradient may be asked for: derivatives need the vectors too."""
    return bool(getattr(A, "requires_grad", False))


def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Any = None) -> Any:
    return give_result("linalg_eigh", checked_eigh(A, UPLO, is_recorded(A))[0], out)


# ---- any square matrices
eig_op = array(
    "linalg_eig(Tensor A) -> (Tensor eigenvalues, Tensor eigenvectors)",
    reference=lapack.eig,
    results=("array", "columns"),
    method=False,
)


def checked_eig(name: str, A: Any) -> Any:
    """(eigenvalues, eigenvectors), with torch's errors."""
    check_square(name, A)
    if A.dtype.category < 2:
        raise RuntimeError(f"Unknown Complex ScalarType for {type_name(A)}: {name} takes floating and complex tensors")
    check_kernel("linalg_eig_cpu", A)
    if not ops["isfinite"](every_sample(A)).all().item():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    return eig_op(A)


def eig(A: Tensor, *, out: Any = None) -> Any:
    return give_results("linalg_eig", checked_eig("linalg.eig", A), ("eigenvalues", "eigenvectors"), out, strict=False)


def eigvals(A: Tensor, *, out: Any = None) -> Any:
    return give_result("linalg_eigvals", checked_eig("linalg.eigvals", A)[0], out, strict=False)


# ---- singular values
def singular_triple(xp: Any, a: Any, full_matrices: bool, compute_uv: bool) -> Any:
    """The reference of svd. A matrix with NaN is refused, one with infinities has NaN, as in torch."""
    u, values, vh = lapack.svd(xp, a, full_matrices, compute_uv)
    if values.size and has_nan(values[..., 0]):
        check_converged(xp, a, values)
    return u, values, vh


def check_converged(xp: Any, a: Any, values: Any) -> None:
    """LinAlgError for the first matrix without singular values, unless infinities are why."""
    given_nan = xp.isnan(a).any((-2, -1)).reshape(-1)
    failed = given_nan | xp.isnan(values[..., 0]).reshape(-1) & xp.isfinite(a).all((-2, -1)).reshape(-1)
    if failed.any():
        number = int(failed.argmax())
        batch = f"(Batch element {number}): " if a.ndim > 2 else ""
        why = "contained non-finite values" if given_nan[number] else "is ill-conditioned"
        raise LinAlgError(f"linalg.svd: {batch}The algorithm failed to converge because the input matrix {why}.")


svd_op = factoring(
    "linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor Vh)",
    way="svd",
    reference=singular_triple,
    results=("columns", "array", "columns"),
)


def checked_svd(A: Any, full_matrices: bool, compute_uv: bool, driver: Any) -> Any:
    """(U, S, Vh), with torch's errors."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A, kernel="linalg_svd_cpu")
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    return svd_op(A, full_matrices, compute_uv)


def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None, out: Any = None) -> Any:
    return give_results("linalg_svd", checked_svd(A, full_matrices, True, driver), ("U", "S", "Vh"), out)


def svdvals(A: Tensor, *, driver: Any = None, out: Any = None) -> Any:
    return give_result("linalg_svdvals", checked_svd(A, False, is_recorded(A), driver)[1], out)


def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    check_matrix("linalg.svd", input)
    if compute_uv:
        u, s, vh = checked_svd(input, not some, True, None)
        parts = (u, s, ops["adjoint"](vh))
    else:
        (m, n), batch = input.shape[-2:], tuple(input.shape[:-2])
        parts = (input.new_zeros((*batch, m, m)), svdvals(input), input.new_zeros((*batch, n, n)))
    return give_results("svd", parts, ("U", "S", "V"), out)


# ---- QR
def orthogonal_pair(xp: Any, a: Any, mode: str) -> Any:
    """The reference of qr."""
    if mode == "r":
        return xp.empty(0, a.dtype), lapack.qr(xp, a, mode)
    return tuple(lapack.qr(xp, a, mode))


qr_op = factoring(
    "linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
    way="qr",
    reference=orthogonal_pair,
    results=("columns", "columns"),
)


def checked_qr(A: Any, mode: str) -> Any:
    """(Q, R), with torch's errors."""
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A, kernel="geqrf_cpu")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return qr_op(A, mode)


def linalg_qr(A: Tensor, mode: str = "reduced", *, out: Any = None) -> Any:
    return give_results("linalg_qr", checked_qr(A, mode), ("Q", "R"), out)


def qr(input: Tensor, some: bool = True, *, out: Any = None) -> Any:
    warn_user(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some) should "
        "be replaced with Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
    )
    return give_results("qr", checked_qr(input, "reduced" if some else "complete"), ("Q", "R"), out)


def reflectors(xp: Any, a: Any) -> Any:
    """The reference of geqrf: what LAPACK leaves, the vectors below the diagonal, and their factors."""
    h, tau = xp.linalg.qr(a, mode="raw")
    return h.swapaxes(-2, -1), tau


geqrf_op = array(
    "_geqrf(Tensor input) -> (Tensor a, Tensor tau)",
    reference=reflectors,
    results=("columns", "same"),
    method=False,
    doc="QR as Householder's reflectors.",
)


def geqrf(input: Tensor, *, out: Any = None) -> Any:
    check_matrix("torch.geqrf", input, "input")
    check_kernel("geqrf_cpu", input)
    return give_results("geqrf", geqrf_op(input), ("a", "tau"), out, strict=False)


for FUNCTION in (eigh, eigvalsh, eig, eigvals, svdvals):
    composite(FUNCTION, namespace="linalg")
composite(linalg_svd, name="svd", namespace="linalg")
composite(linalg_qr, name="qr", namespace="linalg")
for METHOD in (svd, qr, geqrf):
    composite(METHOD, method=True)

