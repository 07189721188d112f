"""Diagonals of matrices, and matrices with a given diagonal."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import check_tensor, give_result
from wengert_core.ops.view.view_backward import ops
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

composite = TABLE.composite


def front(dim: int, rank: int) -> int:
    """A dim counted from the front; IndexError when there is none."""
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return dim % rank


def embed_diagonal(self: Tensor, offset: int, dim1: int, dim2: int) -> Any:
    """Zeros with the last dim on a diagonal of two new dims."""
    rank = self.dim() + 1
    first, second = front(dim1, rank), front(dim2, rank)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    sizes = list(self.shape[:-1])
    n = self.shape[-1] + abs(offset)
    if n >> 63:
        raise RuntimeError(f"diag_embed: a size overflows: {self.shape[-1]} + {abs(offset)} is more than 2**63 - 1")
    for d in sorted((first, second)):
        sizes.insert(d, n)
    return ops["diagonal_backward"](self, sizes, offset, first, second)


def embed_diagonal_array(xp: Any, x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The same, of an array."""
    n = x.shape[-1] + abs(offset)
    whole = xp.zeros((*x.shape[:-1], n, n), x.dtype)
    places = xp.arange(x.shape[-1])
    whole[..., places + max(-offset, 0), places + max(offset, 0)] = x
    return xp.moveaxis(whole, (-2, -1), (dim1, dim2))


embed_op = TABLE.staged(
    "_diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    stages=embed_diagonal,
    reference=embed_diagonal_array,
    method=False,
    doc="Zeros with the last dim of self on a diagonal of two new dims.",
)
copy_op = TABLE.staged(
    "_diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    stages=lambda self, offset, dim1, dim2: self.diagonal(offset, dim1, dim2).clone(),
    reference=lambda xp, x, offset=0, dim1=0, dim2=1: xp.diagonal(x, offset, dim1, dim2).copy(),
    method=False,
    doc="A copy of a diagonal.",
)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    check_tensor("diag_embed", input, "input")
    return embed_op(input, offset, dim1, dim2)


def diag(input: Tensor, diagonal: int = 0, *, out: Any = None) -> Any:
    check_tensor("diag", input, "input")
    if input.dim() not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.dim()}D")
    result = embed_op(input, diagonal) if input.dim() == 1 else copy_op(input, diagonal)
    return give_result("diag", result, out)


def diagflat(input: Tensor, offset: int = 0) -> Any:
    return embed_op(input.contiguous().view(-1), offset)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write a number to the diagonal, in place: where all indices are equal. wrap: for a matrix with more rows than
    columns the diagonal starts again, one row below where it ended.
    """
    rank = self.dim()
    if rank < 2:
        raise RuntimeError(f"dimensions must larger than 1: fill_diagonal_ got a tensor of shape {list(self.shape)}")
    if rank > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length: fill_diagonal_ got a tensor of shape "
                           f"{list(self.shape)}")
    strides, across = self.stride(), sum(self.stride())
    rows, columns = self.shape[0], self.shape[-1]
    starts = range(0, rows, columns + 1) if wrap and rank == 2 and columns else (0,)
    for start in starts:
        n = min(min(self.shape), rows - start) if rank > 2 else min(rows - start, columns)
        ops["fill_"](self.as_strided((n,), (across,), self.storage_offset() + start * strides[0]), fill_value)
    return self


TABLE.methods["fill_diagonal_"] = fill_diagonal_


def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    return A.diagonal(offset, dim1, dim2)


for METHOD in (diag_embed, diagflat):
    composite(METHOD, method=True)
composite(diag, method=True)
composite(linalg_diagonal, name="diagonal", namespace="linalg")
