from collections.abc import Iterable
from typing import Any, Final, Self

from wengert_core.tensors.tensor import Tensor

# ---- from here on written by tools/generate/tensor_stub.py from the op table: do not edit

class aminmax(tuple[Tensor, Tensor]):
    __match_args__ = ("min", "max")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def min(self) -> Tensor: ...
    @property
    def max(self) -> Tensor: ...

class cummax(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class cummin(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class frexp(tuple[Tensor, Tensor]):
    __match_args__ = ("mantissa", "exponent")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def mantissa(self) -> Tensor: ...
    @property
    def exponent(self) -> Tensor: ...

class geqrf(tuple[Tensor, Tensor]):
    __match_args__ = ("a", "tau")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def a(self) -> Tensor: ...
    @property
    def tau(self) -> Tensor: ...

class histogram(tuple[Tensor, Tensor]):
    __match_args__ = ("hist", "bin_edges")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def hist(self) -> Tensor: ...
    @property
    def bin_edges(self) -> Tensor: ...

class histogramdd(tuple[Tensor, tuple[Tensor, ...]]):
    __match_args__ = ("hist", "bin_edges")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def hist(self) -> Tensor: ...
    @property
    def bin_edges(self) -> tuple[Tensor, ...]: ...

class kthvalue(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class linalg_cholesky_ex(tuple[Tensor, Tensor]):
    __match_args__ = ("L", "info")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_eig(tuple[Tensor, Tensor]):
    __match_args__ = ("eigenvalues", "eigenvectors")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...

class linalg_eigh(tuple[Tensor, Tensor]):
    __match_args__ = ("eigenvalues", "eigenvectors")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...

class linalg_inv_ex(tuple[Tensor, Tensor]):
    __match_args__ = ("inverse", "info")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def inverse(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_lstsq(tuple[Tensor, Tensor, Tensor, Tensor]):
    __match_args__ = ("solution", "residuals", "rank", "singular_values")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def solution(self) -> Tensor: ...
    @property
    def residuals(self) -> Tensor: ...
    @property
    def rank(self) -> Tensor: ...
    @property
    def singular_values(self) -> Tensor: ...

class linalg_lu(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("P", "L", "U")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def P(self) -> Tensor: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...

class linalg_lu_factor(tuple[Tensor, Tensor]):
    __match_args__ = ("LU", "pivots")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def LU(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...

class linalg_lu_factor_ex(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("LU", "pivots", "info")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def LU(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_qr(tuple[Tensor, Tensor]):
    __match_args__ = ("Q", "R")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...

class linalg_slogdet(tuple[Tensor, Tensor]):
    __match_args__ = ("sign", "logabsdet")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def sign(self) -> Tensor: ...
    @property
    def logabsdet(self) -> Tensor: ...

class linalg_solve_ex(tuple[Tensor, Tensor]):
    __match_args__ = ("result", "info")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def result(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_svd(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("U", "S", "Vh")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def U(self) -> Tensor: ...
    @property
    def S(self) -> Tensor: ...
    @property
    def Vh(self) -> Tensor: ...

class lu_unpack(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("P", "L", "U")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def P(self) -> Tensor: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...

class max(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class median(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class min(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class mode(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class nanmedian(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class qr(tuple[Tensor, Tensor]):
    __match_args__ = ("Q", "R")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...

class slogdet(tuple[Tensor, Tensor]):
    __match_args__ = ("sign", "logabsdet")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def sign(self) -> Tensor: ...
    @property
    def logabsdet(self) -> Tensor: ...

class sort(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class svd(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("U", "S", "V")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def U(self) -> Tensor: ...
    @property
    def S(self) -> Tensor: ...
    @property
    def V(self) -> Tensor: ...

class topk(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class triangular_solve(tuple[Tensor, Tensor]):
    __match_args__ = ("solution", "cloned_coefficient")
    n_fields: Final[int]
    n_sequence_fields: Final[int]
    n_unnamed_fields: Final[int]
    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ...
    @property
    def solution(self) -> Tensor: ...
    @property
    def cloned_coefficient(self) -> Tensor: ...
