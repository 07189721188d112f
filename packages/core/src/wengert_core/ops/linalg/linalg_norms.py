"""Norms of matrices, and condition numbers."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.composite_arguments import check_tensor, give_result
from wengert_core.messages.short_repr import short_repr
from wengert_core.ops.linalg.linalg_checks import check_floating, check_matrix
from wengert_core.ops.linalg.linalg_solve import inv_op
from wengert_core.ops.linalg.linalg_spectral import is_recorded, svdvals
from wengert_core.ops.reduce.norms import check_norm_dtype, norm_op, real_order
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

composite, ops = TABLE.composite, TABLE.ops
ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def two_dims(name: str, A: Tensor, dim: Any) -> tuple[int, int]:
    """The two dims of the matrices, counted from the front."""
    if not isinstance(dim, (tuple, list)):
        raise TypeError(
            f"{name.replace('.', '_')}() received an invalid combination of arguments - got dim={type(dim).__name__}, "
            "but expected a tuple of 2 ints"
        )
    dims = list(dim)
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(short_repr, dims))}")
    rank = A.dim()
    for d in dims:
        if not -rank <= d < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {short_repr(d)})"
            )
    first, second = (d % rank for d in dims)
    if first == second:
        raise RuntimeError(f"{name}: dims must be different. Got ({dims[0]}, {dims[1]})")
    return first, second


def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    name = "linalg.matrix_norm"
    check_matrix(name, A)
    check_floating(name, A, low=ord in ("fro", 1, -1, math.inf, -math.inf))
    if ord not in ORDERS:
        raise RuntimeError(f"{name}: Order {short_repr(ord, str)} not supported.")
    dims = two_dims(name, A, dim)
    if dtype is not None:
        check_norm_dtype(name, A, dtype)
    if ord == "fro":
        result = norm_op(A, 2, list(dims), keepdim, dtype=dtype)
    else:
        result = other_norm(A if dtype is None else A.to(dtype), ord, dims, keepdim)
    return give_result("linalg_matrix_norm", result, out, strict=False)


def other_norm(A: Tensor, ord: Any, dims: tuple[int, int], keepdim: bool) -> Any:
    """The norms that are not Frobenius's."""
    rows, columns = dims
    if ord in ("nuc", 2, -2):
        values = svdvals(A.movedim(dims, (-2, -1)))
        largest = values.sum(-1) if ord == "nuc" else extreme(values, -1, ord > 0, False)
        return largest.unsqueeze(min(dims)).unsqueeze(max(dims)) if keepdim else largest
    along, rest = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = A.abs().sum(along, keepdim=keepdim)
    return extreme(sums, rest - int(not keepdim and along < rest), ord > 0, keepdim)


def extreme(x: Tensor, dim: int, largest: bool, keepdim: bool) -> Any:
    """amax or amin along a dim, 0 of none."""
    if not x.shape[dim]:
        return x.sum(dim, keepdim=keepdim)
    return x.amax(dim, keepdim=keepdim) if largest else x.amin(dim, keepdim=keepdim)


def linalg_norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Any:
    name = "linalg.norm"
    check_tensor("linalg_norm", A)
    if out is not None and (is_recorded(A) or is_recorded(out)):
        return give_result("linalg_norm", linalg_norm(A, ord, dim, keepdim, dtype=dtype), out, strict=False)
    real_order(ord)
    if isinstance(dim, bool):
        raise TypeError("linalg_norm(): argument 'dim' (position 3) must be tuple of ints, not bool")
    if dim is not None:
        dims = [dim] if isinstance(dim, int) else list(dim)
        if len(dims) not in (1, 2):
            raise RuntimeError(f"{name}: If dim is specified, it must be of length 1 or 2. Got {dims}")
        if ord is not None and (len(dims) == 2 or isinstance(ord, str)):
            return matrix_norm(A, ord, dims, keepdim, dtype=dtype, out=out)
        return norm_op(A, 2 if ord is None else ord, dims, keepdim, dtype=dtype, out=out)
    if ord is None:
        return norm_op(A, 2, None, keepdim, dtype=dtype, out=out)
    if A.dim() not in (1, 2):
        raise RuntimeError(
            f"{name}: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.dim()}D."
        )
    if A.dim() == 2 or isinstance(ord, str):
        return matrix_norm(A, ord, (-2, -1), keepdim, dtype=dtype, out=out)
    return norm_op(A, ord, None, keepdim, dtype=dtype, out=out)


# ---- condition numbers
def cond(A: Tensor, p: Any = None, *, out: Any = None) -> Any:
    name = "linalg.cond"
    check_tensor("linalg_cond", A)
    if A.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor must have at least 2 dimensions.")
    if p in (None, 2, -2):
        values = svdvals(A)
        if not values.shape[-1]:
            result = values.sum(-1)
        else:
            ends = (values.narrow(-1, i, 1) for i in (0, values.shape[-1] - 1))
            largest, smallest = ends
            result = (smallest / largest if p == -2 else largest / smallest).squeeze(-1)
        return give_result("linalg_cond", result, out, strict=False)
    if p not in ORDERS:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
            "matrices"
        )
    check_floating(name, A)
    inverse, info = inv_op(A)
    inverse = ops["where"](info.unsqueeze(-1).unsqueeze(-1) > 0, math.inf, inverse)
    result = matrix_norm(A, p) * matrix_norm(inverse, p)
    return give_result("linalg_cond", ops["nan_to_num"](result, math.inf, math.inf, -math.inf), out, strict=False)


for FUNCTION, NAME in ((matrix_norm, "matrix_norm"), (linalg_norm, "norm"), (cond, "cond")):
    composite(FUNCTION, name=NAME, namespace="linalg")
