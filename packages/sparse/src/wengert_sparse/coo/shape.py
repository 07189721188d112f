"""Kernels that change sizes and dims, and those that take parts or put tensors together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo
from wengert_sparse.coo.convert import with_sparse_dim
from wengert_sparse.coo.indices import indices_at, positions
from wengert_sparse.messages import size_text
from wengert_sparse.parts import Coo


def wrap_dim(dim: int, rank: int) -> int:
    """A dim counted from the front; IndexError with PyTorch's words where there is none."""
    limit = max(rank, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim % limit


# ---- another order of dims


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two sparse, or two dense dims."""
    parts, rank = coo_of(self), self.dim()
    dim0, dim1 = wrap_dim(dim0, rank), wrap_dim(dim1, rank)
    if dim0 == dim1:
        return make_coo(*parts[:2], self.shape, parts.coalesced)
    order = list(range(rank))
    order[dim0], order[dim1] = dim1, dim0
    if (dim0 < parts.indices.shape[0]) != (dim1 < parts.indices.shape[0]):
        raise RuntimeError(
            f"transpose: transposed dimensions need to be either both sparse or both dense, got the dims {dim0} and "
            f"{dim1} of a tensor with {parts.indices.shape[0]} sparse and {parts.values.dim() - 1} dense dims"
        )
    return reorder_dims(self, parts, order)


def permute(self: Tensor, dims: Sequence[int]) -> Tensor:
    """Put the sparse dims in another order, and the dense ones."""
    parts, rank = coo_of(self), self.dim()
    order = [wrap_dim(dim, rank) for dim in dims]
    if len(order) != rank:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(order)}"
        )
    if len(set(order)) != rank:
        raise RuntimeError("permute(sparse_coo): duplicate dims are not allowed.")
    sparse_dim = parts.indices.shape[0]
    if any(dim >= sparse_dim for dim in order[:sparse_dim]):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only "
            "transpositions within sparse and dense dimensions are supported."
        )
    return reorder_dims(self, parts, order)


def reorder_dims(self: Tensor, parts: Coo, order: Sequence[int]) -> Tensor:
    """The tensor with dim i from dim order[i]."""
    sparse_dim = parts.indices.shape[0]
    first, last = order[:sparse_dim], order[sparse_dim:]
    same = list(first) == list(range(sparse_dim))
    indices = parts.indices if same else wc.stack([parts.indices[dim] for dim in first])
    values = parts.values
    if list(last) != list(range(sparse_dim, len(order))):
        values = values.permute(0, *[dim - sparse_dim + 1 for dim in last])
    return make_coo(indices, values, [self.shape[dim] for dim in order], parts.coalesced and same)


def t(self: Tensor) -> Tensor:
    """The transpose of a matrix; a vector itself."""
    parts = coo_of(self)
    if self.dim() > 2 or parts.values.dim() > 1:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {parts.indices.shape[0]} sparse "
            f"and {parts.values.dim() - 1} dense dimensions"
        )
    return reorder_dims(self, parts, list(range(self.dim()))[::-1])


# ---- other sizes


def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """Insert a dim of size 1: a sparse one up to the last sparse dim, then a dense one."""
    parts, rank = coo_of(self), self.dim()
    dim = wrap_dim(dim, rank + 1)
    sparse_dim = parts.indices.shape[0]
    shape = [*self.shape[:dim], 1, *self.shape[dim:]]
    if dim > sparse_dim:
        return make_coo(parts.indices, parts.values.unsqueeze(dim - sparse_dim + 1), shape, parts.coalesced)
    zeros = wc.zeros((1, parts.indices.shape[1]), dtype=wc.int64, device=self.device)
    indices = wc.cat([parts.indices[:dim], zeros, parts.indices[dim:]])
    return make_coo(indices, parts.values, shape, parts.coalesced)


def squeeze(self: Tensor, dim: Any = None) -> Tensor:
    """Remove dims of size 1."""
    parts, rank = coo_of(self), self.dim()
    dims = range(rank) if dim is None else [wrap_dim(d, rank) for d in ([dim] if isinstance(dim, int) else dim)]
    gone = [d for d in dims if self.shape[d] == 1]
    sparse_dim = parts.indices.shape[0]
    kept = [d for d in range(rank) if d not in gone]
    indices = rows_of(parts.indices, [d for d in kept if d < sparse_dim])
    dense = tuple(d - sparse_dim + 1 for d in gone if d >= sparse_dim)
    values = parts.values.squeeze(dense) if dense else parts.values
    return make_coo(indices, values, [self.shape[d] for d in kept], parts.coalesced)


def rows_of(indices: Tensor, kept: Sequence[int]) -> Tensor:
    """The rows of an index tensor (S, N) with these numbers."""
    if not kept:
        return indices.new_empty((0, indices.shape[1]))
    return indices if len(kept) == indices.shape[0] else wc.stack([indices[d] for d in kept])


def reshape(self: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements in another shape: that of the sparse dims, or of the dense dims, or of both."""
    parts = coo_of(self)
    sparse_dim = parts.indices.shape[0]
    size, dense_sizes = tuple(shape), tuple(self.shape[sparse_dim:])
    if size == tuple(self.shape):
        return make_coo(parts.indices, parts.values, size, parts.coalesced)
    split = len(size) - len(dense_sizes)
    if split >= 0 and size[split:] == dense_sizes:
        sizes = size[:split]
        flat = positions(parts.indices, self.shape[:sparse_dim])
        return make_coo(indices_at(flat, sizes), parts.values, size, parts.coalesced)
    if size[:sparse_dim] == tuple(self.shape[:sparse_dim]):
        values = parts.values.reshape(parts.values.shape[0], *size[sparse_dim:])
        return make_coo(parts.indices, values, size, parts.coalesced)
    whole = with_sparse_dim(parts, self.shape, self.dim())
    flat = positions(whole.indices, self.shape)
    return make_coo(indices_at(flat, size), whole.values, size, whole.coalesced)


# ---- parts


def select(self: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index of a dim; strided where no sparse dim is left."""
    parts, rank = coo_of(self), self.dim()
    if rank == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, rank)
    size = self.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {size_text(self.shape)} at dimension {dim}"
        )
    index %= size
    sparse_dim = parts.indices.shape[0]
    shape = [*self.shape[:dim], *self.shape[dim + 1 :]]
    if dim >= sparse_dim:
        return make_coo(
            parts.indices, parts.values.select(dim - sparse_dim + 1, index).contiguous(), shape, parts.coalesced
        )
    there = parts.indices[dim] == index
    if sparse_dim == 1:
        return parts.values[there].sum(0).to(self.dtype)
    others = rows_of(parts.indices, [d for d in range(sparse_dim) if d != dim])
    return make_coo(others[:, there], parts.values[there], shape, parts.coalesced)


def slice_(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    """A range of a dim."""
    parts, rank = coo_of(self), self.dim()
    dim = wrap_dim(dim, rank)
    begin, stop, step = slice(start, end, step).indices(self.shape[dim])
    length = len(range(begin, stop, step))
    shape = [*self.shape[:dim], length, *self.shape[dim + 1 :]]
    sparse_dim = parts.indices.shape[0]
    if dim >= sparse_dim:
        ranges = [slice(None)] * (dim - sparse_dim + 1) + [slice(begin, max(stop, begin), step)]
        return make_coo(parts.indices, parts.values[tuple(ranges)].contiguous(), shape, parts.coalesced)
    along = parts.indices[dim] - begin
    there = (along >= 0) & (along < stop - begin)
    if step != 1:
        there &= along % step == 0
    indices = parts.indices[:, there]
    indices[dim] = along[there] // step
    return make_coo(indices, parts.values[there], shape, parts.coalesced)


def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices at some indices of a dim, in their order, repeated where they are."""
    parts, rank = coo_of(self), self.dim()
    dim = wrap_dim(dim, rank)
    size = self.shape[dim]
    if index.dim() != 1 or index.dtype not in (wc.int64, wc.int32):
        raise IndexError(f"index_select() expected index to be 1-D of dtype Long, got {index.dim()}-D of {index.dtype}")
    index = index.to(wc.int64)
    if index.numel() and not -size <= index.min().item() <= index.max().item() < size:
        wrong = index[(index < -size) | (index >= size)][0].item()
        raise IndexError(
            f"index_select(): index contains {wrong} that is out of range for tensor of size {size_text(self.shape)} "
            f"at dimension {dim}"
        )
    index = wc.where(index < 0, index + size, index)
    shape = [*self.shape[:dim], index.shape[0], *self.shape[dim + 1 :]]
    sparse_dim = parts.indices.shape[0]
    if dim >= sparse_dim:
        values = parts.values.index_select(dim - sparse_dim + 1, index)
        return make_coo(parts.indices, values, shape, parts.coalesced)
    order = wc.sort(parts.indices[dim], stable=True)
    first = wc.searchsorted(order.values, index)
    counts = wc.searchsorted(order.values, index, right=True) - first
    target = wc.repeat_interleave(counts)
    begins = counts.cumsum(0) - counts
    within = wc.arange(target.shape[0], device=self.device) - begins.index_select(0, target)
    chosen = order.indices.index_select(0, first.index_select(0, target) + within)
    indices = parts.indices.index_select(1, chosen)
    indices[dim] = target
    return make_coo(indices, parts.values.index_select(0, chosen), shape, parts.coalesced and dim == 0)


def select_backward(grad_output: Tensor, input_sizes: Sequence[int], dim: int, index: int) -> Tensor:
    """A sparse gradient of ``select`` in a tensor of the whole size."""
    parts = coo_of(grad_output)
    dim = wrap_dim(dim, len(input_sizes))
    sparse_dim = parts.indices.shape[0]
    index %= input_sizes[dim]
    if dim > sparse_dim:
        values = wc.select_backward(
            parts.values, [parts.values.shape[0], *input_sizes[sparse_dim:]], dim - sparse_dim + 1, index
        )
        return make_coo(parts.indices, values, input_sizes, parts.coalesced)
    fixed = wc.full((1, parts.indices.shape[1]), index, dtype=wc.int64, device=grad_output.device)
    indices = wc.cat([parts.indices[:dim], fixed, parts.indices[dim:]])
    return make_coo(indices, parts.values, input_sizes, parts.coalesced)


def slice_backward(
    grad_output: Tensor, input_sizes: Sequence[int], dim: int, start: int | None, end: int | None, step: int
) -> Tensor:
    """A sparse gradient of ``slice`` in a tensor of the whole size."""
    parts = coo_of(grad_output)
    dim = wrap_dim(dim, len(input_sizes))
    begin, _, step = slice(start, end, step).indices(input_sizes[dim])
    sparse_dim = parts.indices.shape[0]
    if dim >= sparse_dim:
        values = wc.slice_backward(
            parts.values, [parts.values.shape[0], *input_sizes[sparse_dim:]], dim - sparse_dim + 1, start, end, step
        )
        return make_coo(parts.indices, values, input_sizes, parts.coalesced)
    indices = parts.indices.clone()
    indices[dim] = indices[dim] * step + begin
    return make_coo(indices, parts.values, input_sizes, parts.coalesced)


def index_add(self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any = 1) -> Any:
    """self, and the slices of a sparse source added at the indices of a dim."""
    if not is_coo(source):
        return NotImplemented
    parts = coo_of(source)
    dim = wrap_dim(dim, source.dim())
    if dim >= parts.indices.shape[0]:
        values = wc.zeros(
            (parts.values.shape[0], *self.shape[parts.indices.shape[0] :]), dtype=source.dtype, device=source.device
        ).index_add(dim - parts.indices.shape[0] + 1, index, parts.values)
        moved = make_coo(parts.indices, values, self.shape, parts.coalesced)
    else:
        indices = parts.indices.clone()
        indices[dim] = index.to(wc.int64).index_select(0, indices[dim])
        moved = make_coo(indices, parts.values, self.shape, False)
    if is_coo(self) and coo_of(self).values.shape[0] == 0:
        return moved if alpha == 1 else moved * alpha
    return wc.add(self, moved, alpha=alpha)


# ---- several


def check_cat(tensors: Sequence[Tensor], every: Sequence[Coo], dim: int) -> None:
    """RuntimeError for tensors with other numbers of dims than the first, or other sizes along the other dims."""
    first, sparse_dim = tensors[0], every[0].indices.shape[0]
    for place, (tensor, parts) in enumerate(zip(tensors, every, strict=True)):
        if parts.indices.shape[0] != sparse_dim or tensor.dim() != first.dim():
            raise RuntimeError(
                "All tensors must have the same: sparse_dim and dense_dim, but tensor at position "
                f"{place} has {parts.indices.shape[0]}, {parts.values.dim() - 1} instead of {sparse_dim}, "
                f"{every[0].values.dim() - 1}"
            )
        for d in range(first.dim()):
            if d != dim and tensor.shape[d] != first.shape[d]:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected in dimension {d} size "
                    f"{first.shape[d]}, but got {tensor.shape[d]} for tensor at position {place}."
                )


def common_dtype(tensors: Sequence[Tensor]) -> Any:
    """The dtype that holds the elements of all tensors."""
    kind: Any = tensors[0].dtype
    for tensor in tensors[1:]:
        kind = wc.promote_types(kind, tensor.dtype)
    return kind


def cat(tensors: Sequence[Tensor], dim: int) -> Any:
    """Tensors one after the other along a dim."""
    for place, tensor in enumerate(tensors):
        if not is_coo(tensor):
            if not is_strided(tensor):
                return NotImplemented
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {place}.")
    first = tensors[0]
    dim = wrap_dim(dim, first.dim())
    every = [coo_of(tensor) for tensor in tensors]
    check_cat(tensors, every, dim)
    kind, sparse_dim = common_dtype(tensors), every[0].indices.shape[0]
    begins = list(accumulate((tensor.shape[dim] for tensor in tensors), initial=0))
    shape = [*first.shape[:dim], begins[-1], *first.shape[dim + 1 :]]
    if dim >= sparse_dim:
        return cat_dense(every, begins, shape, dim - sparse_dim + 1, kind)
    moved = []
    for parts, begin in zip(every, begins, strict=False):
        indices = parts.indices
        if begin:
            indices = indices.clone()
            indices[dim] += begin
        moved.append(indices)
    values = wc.cat([parts.values.to(kind) for parts in every])
    return make_coo(wc.cat(moved, 1), values, shape, dim == 0 and all(parts.coalesced for parts in every))


def cat_dense(every: Sequence[Coo], begins: Sequence[int], shape: Sequence[int], dim: int, kind: Any) -> Tensor:
    """``cat`` along a dense dim: each tensor's values with zeros before and behind."""
    sparse_dim = every[0].indices.shape[0]
    wide = []
    for parts, begin in zip(every, begins, strict=False):
        whole = wc.zeros((parts.values.shape[0], *shape[sparse_dim:]), dtype=kind, device=parts.values.device)
        whole.narrow(dim, begin, parts.values.shape[dim]).copy_(parts.values)
        wide.append(whole)
    return make_coo(wc.cat([parts.indices for parts in every], 1), wc.cat(wide), shape, False)


def stack(tensors: Sequence[Tensor], dim: int) -> Any:
    """Tensors along a new dim."""
    rank = tensors[0].dim()
    dim = wrap_dim(dim, rank + 1)
    for place, tensor in enumerate(tensors):
        if is_coo(tensor) and tensor.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {size_text(tensors[0].shape)} at entry 0 and "
                f"{size_text(tensor.shape)} at entry {place}"
            )
    return cat([unsqueeze(tensor, dim) if is_coo(tensor) else tensor for tensor in tensors], dim)
