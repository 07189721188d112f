"""Norms of vectors: primitives made of several kernels, with one formula each, and what is made of them."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.decomposed import as_dtype
from wengert_core.drivers.reduce.mapped import reduce_mapped
from wengert_core.dtypes.dtypes import SCALAR_NAMES
from wengert_core.exchange.type_info import promote_types
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


def check_empty(self: Any, ord: Any, dim: Any) -> None:
    """A minimum, or a maximum, along an empty dim is refused."""
    if 0 <= ord < math.inf:
        return
    dims = [dim] if hasattr(type(dim), "__index__") else dim or ()
    for d in dims:
        if -self.dim() <= d < self.dim() and not self.shape[d]:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord:g} norm on the dimension {d}because this dimension is "
                "empty and the operation does not have an identity"
            )


def check_norm_dtype(name: str, self: Any, dtype: Any) -> None:
    """Raise RuntimeError for a dtype= that a norm does not compute in: another kind of numbers, or a narrower dtype."""
    if dtype.category < 2:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {SCALAR_NAMES[dtype.code]}")
    if self.dtype.is_complex != dtype.is_complex:
        kind = "complex" if self.dtype.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {SCALAR_NAMES[dtype.code]}")
    if promote_types(self.dtype, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({SCALAR_NAMES[self.dtype.code]}) should be convertible without narrowing "
            f"to the specified dtype ({SCALAR_NAMES[dtype.code]})"
        )


def power_norm(self: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """sum(|x| ** ord) ** (1 / ord), and its limits."""
    if self.dtype.category < 2:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{SCALAR_NAMES[self.dtype.code]}"
        )
    if dtype is not None:
        check_norm_dtype("linalg.vector_norm", self, dtype)
        self = as_dtype(self, dtype.name)
    name = self.dtype.name
    if name in ("float16", "bfloat16"):
        return as_dtype(power_norm(as_dtype(self, "float32"), ord, dim, keepdim, None), name)
    check_empty(self, ord, dim)
    if abs(ord) == math.inf:
        if not self.numel() and dim is None:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not "
                "have an identity"
            )
        kernel = "amax" if ord > 0 else "amin"
        most = reduce_mapped(self, f"size_{kernel}", dim, keepdim)
        return ops[kernel](ops["abs"](self), dim, keepdim) if most is None else most
    if ord == 0:
        return ops["mul"](ops["sum"](ops["ne"](self, 0), dim, keepdim, dtype=ops["abs"](self).dtype), 1)
    if ord == 2:
        size = self if self.dtype.category == 2 else ops["abs"](self)
        if dim is None and not keepdim and size.is_contiguous():
            size = size.reshape(-1)
            return ops["sqrt"](ops["dot"](size, size))
        total = reduce_mapped(size, "square_sum", dim, keepdim)
        return ops["sqrt"](ops["sum"](ops["mul"](size, size), dim, keepdim) if total is None else total)
    if ord == 1:
        total = reduce_mapped(self, "size_sum", dim, keepdim)
        return ops["sum"](ops["abs"](self), dim, keepdim) if total is None else total
    return ops["pow"](ops["sum"](ops["pow"](ops["abs"](self), ord), dim, keepdim), 1 / ord)


def numpy_norm(xp: Any, x: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """The reference of vector norms."""
    axes = tuple(dim) if isinstance(dim, list) else dim
    size = xp.abs(x)
    if abs(ord) == math.inf:
        return (xp.max if ord > 0 else xp.min)(size, axis=axes, keepdims=keepdim)
    if ord == 0:
        return xp.sum(size != 0, axis=axes, keepdims=keepdim).astype(size.dtype)
    return xp.sum(size**ord, axis=axes, keepdims=keepdim) ** (1 / ord)


norm_op = TABLE.staged(
    "linalg_vector_norm(Tensor self, Scalar ord=2, int[]? dim=None, bool keepdim=False, *, "
    "dtype? dtype=None) -> Tensor",
    stages=power_norm,
    reference=numpy_norm,
    key="linalg_vector_norm",
    method=False,
)


norm_of_dims_op = TABLE.staged(
    "_norm(Tensor self, Scalar p, int[] dim, bool keepdim=False) -> Tensor",
    stages=lambda self, p, dim, keepdim: power_norm(self, p, dim, keepdim, None),
    reference=lambda xp, x, p, dim, keepdim: numpy_norm(xp, x, p, dim, keepdim, None),
    method=False,
    out=False,
    doc="linalg_vector_norm over some dims, by its older name.",
)


def real_order(ord: Any) -> None:
    """RuntimeError for the order of a norm that is a complex number."""
    if isinstance(ord, complex):
        raise RuntimeError(f"linalg.vector_norm: Expected a non-complex scalar as the order of norm. Got {ord}")


def vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Any:
    real_order(ord)
    return norm_op(x, ord, dim, keepdim, dtype=dtype, out=out)


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Any:
    real_order(p)
    if p == "nuc":
        dims = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
        return ops["linalg.matrix_norm"](input, "nuc", dims, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return norm_op(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype, out=out)


def norm_method(self: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The vector norm of order p over some dims."""
    return norm(self, p, dim, keepdim, None, dtype)


def distance(self: Tensor, other: Tensor, p: Any) -> Any:
    """The stages of dist."""
    return power_norm(ops["sub"](self, other), p, None, False, None)


dist_op = TABLE.staged(
    "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
    stages=distance,
    reference=lambda xp, x, other, p: numpy_norm(xp, x - other, p, None, False, None),
    key="_dist",
    method=False,
    out=False,
    doc="The norm of the difference.",
)


def dist(input: Tensor, other: Tensor, p: Any = 2) -> Any:
    if p is None:
        raise TypeError("dist(): argument 'p' (position 3) must be Number, not NoneType")
    real_order(p)
    return dist_op(input, other, p)


def check_renorm(rank: int, p: Any, dim: int, maxnorm: Any) -> None:
    """What renorm refuses."""
    if p <= 0:
        raise RuntimeError(f"renorm: non-positive-norm not supported: p is {p}")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if rank < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {rank} dimensions")
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")


def renorm(input: Any, p: Any, dim: int, maxnorm: Any, *, out: Any = None) -> Any:
    check_renorm(input.dim(), p, dim, maxnorm)
    return renorm_op(input, p, dim, maxnorm, out=out)


def scale_to_maxnorm(x: Any, p: Any, dims: list[int], maxnorm: Any) -> Any:
    """Scaled down to a p-norm of maxnorm over some dims where that is larger."""
    sizes = norm_op(x, p, dims, True)
    factor = ops["where"](ops["gt"](sizes, maxnorm), maxnorm / ops["add"](sizes, 1e-7), 1.0)
    return ops["mul"](x, factor.to(x.dtype))


def others(rank: int, dim: int) -> list[int]:
    """All dims but one."""
    return [d for d in range(rank) if d != dim % rank]


def renorm_reference(xp: Any, x: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """The same, of an array."""
    sizes = numpy_norm(xp, x, p, others(x.ndim, dim), True, None)
    return (x * xp.where(sizes > maxnorm, maxnorm / (sizes + 1e-7), 1.0)).astype(x.dtype)


RENORM = "_renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor"


def renorm_stages(self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """The stages of renorm."""
    return scale_to_maxnorm(self, p, others(self.dim(), dim), maxnorm).contiguous()


renorm_op = TABLE.staged(
    RENORM,
    stages=renorm_stages,
    reference=renorm_reference,
    method=False,
    doc="The parts along a dim, each scaled down to a p-norm of maxnorm where it is longer.",
)
written_renorm = TABLE.as_a_whole(renorm_op, RENORM, renorm_stages)


def renorm_(self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """In-place version of renorm."""
    check_renorm(self.dim(), p, dim, maxnorm)
    return written_renorm(self, p, dim, maxnorm)


TABLE.methods["renorm_"] = renorm_

for function in (dist, renorm):
    TABLE.composite(function, method=True)
TABLE.composite(norm)
TABLE.methods["norm"] = norm_method
TABLE.composite(vector_norm, namespace="linalg")
