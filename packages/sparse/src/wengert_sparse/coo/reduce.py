"""Reductions: sum, any, norms; and softmax along a dim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import coo_of, make_coo
from wengert_sparse.coo.indices import add_segments, coalesce, positions
from wengert_sparse.coo.shape import rows_of, unsqueeze, wrap_dim
from wengert_sparse.parts import Coo


def reduced_dims(dim: Any, rank: int) -> list[int]:
    """The dims that a call names, each once; all for None."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return list(range(rank))
    dims = [wrap_dim(d, rank) for d in ([dim] if isinstance(dim, int) else dim)]
    if len(set(dims)) != len(dims):
        raise RuntimeError(
            f"dim {next(d for d in dims if dims.count(d) > 1)} appears multiple times in the list of dims"
        )
    return sorted(dims)


def sum(self: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The sum over some dims: strided where no sparse dim is left, as in PyTorch where all are summed."""
    parts, rank = coo_of(self), self.dim()
    dims = reduced_dims(dim, rank)
    kind = dtype or (wc.int64 if not (self.is_floating_point() or self.is_complex()) else self.dtype)
    if len(dims) == rank:
        total = parts.values.sum(dtype=kind)
        return total.reshape([1] * rank) if keepdim else total
    indices, values, shape = sum_dims(parts, self.shape, dims, kind)
    if indices.shape[0] == 0:
        found: Tensor = values.sum(0)
        for dim in dims if keepdim else ():
            found = found.unsqueeze(dim)
        return found
    whole = coalesce(Coo(indices, values, False), shape)
    found = make_coo(*whole[:2], shape, whole.coalesced)
    for dim in dims if keepdim else ():
        found = unsqueeze(found, dim)
    return found


def sum_dims(parts: Coo, shape: Sequence[int], dims: Sequence[int], kind: Any) -> tuple[Tensor, Tensor, list[int]]:
    """Indices, values and shape of the sum over dims, not coalesced."""
    sparse_dim = parts.indices.shape[0]
    dense = [d - sparse_dim + 1 for d in dims if d >= sparse_dim]
    values = parts.values.sum(dense, dtype=kind) if dense else parts.values.to(kind)
    indices = rows_of(parts.indices, [d for d in range(sparse_dim) if d not in dims])
    return indices, values, [size for d, size in enumerate(shape) if d not in dims]


def any(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether an element is not zero."""
    if dim is not None:
        return NotImplemented
    return coalesce(coo_of(self), self.shape).values.any()


def rows_along(self: Tensor, dim: int) -> tuple[Coo, Tensor, int]:
    """The components, coalesced; for each element the number of the row along a sparse dim that it is in; their
    count.
    """
    parts = coalesce(coo_of(self), self.shape)
    sparse_dim = parts.indices.shape[0]
    others = [d for d in range(sparse_dim) if d != dim]
    flat = positions(rows_of(parts.indices, others), [self.shape[d] for d in others])
    _, row = wc.unique(flat, return_inverse=True)
    return parts, row, int(row.max().item()) + 1 if row.numel() else 0


def softmax(self: Tensor, dim: int, log: bool) -> Tensor:
    """Softmax, or its logarithm, along a dim: of the elements that are specified, the others are minus infinity."""
    dim = wrap_dim(dim, self.dim())
    sparse_dim = coo_of(self).indices.shape[0]
    if dim >= sparse_dim:
        parts = coalesce(coo_of(self), self.shape)
        function = wc.log_softmax if log else wc.softmax
        return make_coo(parts.indices, function(parts.values, dim - sparse_dim + 1), self.shape, True)
    parts, row, count = rows_along(self, dim)
    values = parts.values
    index = row.reshape(-1, *[1] * (values.dim() - 1)).expand(values.shape)
    largest = wc.zeros((count, *values.shape[1:]), dtype=values.dtype, device=values.device)
    largest = largest.scatter_reduce(0, index, values, "amax", include_self=False)
    shifted = values - largest.index_select(0, row)
    exponents = shifted.exp()
    total = add_segments(exponents, row, count).index_select(0, row)
    return make_coo(parts.indices, shifted - total.log() if log else exponents / total, self.shape, True)


def softmax_backward(grad: Tensor, output: Tensor, dim: int, log: bool) -> Tensor:
    """The gradient of softmax, at the indices of its output."""
    from wengert_sparse.coo.convert import values_at

    dim = wrap_dim(dim, output.dim())
    sparse_dim = coo_of(output).indices.shape[0]
    if dim >= sparse_dim:
        parts = coalesce(coo_of(output), output.shape)
        g, dims = values_at(grad, parts.indices), dim - sparse_dim + 1
        y = parts.values
        found = g - y.exp() * g.sum(dims, keepdim=True) if log else y * (g - (g * y).sum(dims, keepdim=True))
        return make_coo(parts.indices, found, output.shape, True)
    parts, row, count = rows_along(output, dim)
    g, y = values_at(grad, parts.indices), parts.values
    total = add_segments(g if log else g * y, row, count).index_select(0, row)
    return make_coo(parts.indices, g - y.exp() * total if log else y * (g - total), output.shape, True)
