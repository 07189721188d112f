from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence
from typing import Any

from wengert_core.drivers.linalg.linalg_error import LinAlgError as LinAlgError
from wengert_core.tensors import return_types as _return_types
from wengert_core.tensors.tensor import Tensor, _DType, _Ints

# ---- from here on written by tools/generate/tensor_stub.py from the op table: do not edit
def cholesky(A: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor: ...
def cholesky_ex(
    A: Tensor,
    *,
    upper: _bool = False,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_cholesky_ex: ...
def cond(A: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor: ...
def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor: ...
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def eig(A: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_types.linalg_eig: ...
def eigh(A: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> _return_types.linalg_eigh: ...
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor: ...
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inv_ex(
    A: Tensor,
    *,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_inv_ex: ...
def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: Any = None,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_lstsq: ...
def lu(A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> _return_types.linalg_lu: ...
def lu_factor(
    A: Tensor,
    *,
    pivot: _bool = True,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_lu_factor: ...
def lu_factor_ex(
    A: Tensor,
    *,
    pivot: _bool = True,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_lu_factor_ex: ...
def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor: ...
def matrix_exp(A: Tensor) -> Tensor: ...
def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor: ...
def matrix_rank(
    A: Tensor,
    tol: _float | Tensor = ...,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def multi_dot(tensors: Any, *, out: Tensor | None = None) -> Tensor: ...
def norm(
    A: Tensor,
    ord: Any = None,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def pinv(
    A: Tensor,
    rcond: _float | Tensor = ...,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> _return_types.linalg_qr: ...
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_types.linalg_slogdet: ...
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor: ...
def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_solve_ex: ...
def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def svd(
    A: Tensor,
    full_matrices: _bool = True,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> _return_types.linalg_svd: ...
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor: ...
def tensorinv(A: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor: ...
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor: ...
def vander(x: Tensor, *, N: _int | None = None) -> Tensor: ...
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor: ...
def vector_norm(
    x: Any,
    ord: Any = 2,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
