"""From and to strided tensors, and masks."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo, parts_of_compressed
from wengert_sparse.compressed.convert import convert_layout
from wengert_sparse.compressed.convert import to_dense as compressed_to_dense
from wengert_sparse.compressed.entries import elements, entries_of
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.coo import fast_paths
from wengert_sparse.coo.convert import from_dense, values_at
from wengert_sparse.coo.convert import to_dense as coo_to_dense
from wengert_sparse.coo.indices import coalesce, indices_at
from wengert_sparse.layouts import BLOCKS, COMPRESSED, SPARSE_BSC, SPARSE_BSR, SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from wengert_sparse.messages import size_text
from wengert_sparse.table import TABLE, add_method

# ---- to_dense


def dense_stages(self: Tensor, dtype: Any, masked_grad: bool | None) -> Tensor:
    """A strided tensor of the same elements."""
    found = coo_to_dense(self) if is_coo(self) else compressed_to_dense(self)
    return found if dtype is None else found.to(dtype)


dense_row = TABLE.staged(
    "_to_dense(Tensor self, dtype? dtype=None, bool? masked_grad=None) -> Tensor",
    stages=dense_stages,
    reference=None,
    method=False,
    out=False,
    doc="to_dense of a sparse tensor.",
)


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The strided tensor of the same elements; itself where it is strided.

    dtype: of the result.   masked_grad: False: the gradient is not only that of the elements which are specified.

    >>> import wengert as wg
    >>> wg.sparse_coo_tensor([[1, 1]], [1.0, 2.0], (3,)).to_dense()
    tensor([0., 3., 0.])
    """
    plain = fast_paths.to_dense_if_plain(self) if dtype is None else None
    if plain is not None:
        return plain
    if is_strided(self):
        return self if dtype is None else self.to(dtype)
    found: Tensor = dense_row(self, dtype, masked_grad)
    return found


# ---- to_sparse


def sparse_stages(self: Tensor, sparse_dim: int | None, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    """A sparse tensor of the same elements."""
    if is_strided(self) and layout is SPARSE_COO:
        parts = from_dense(self, self.dim() if sparse_dim is None else sparse_dim)
        return make_coo(parts.indices, parts.values, self.shape, True)
    if not is_strided(self) and not is_coo(self):
        check_arguments(self, layout, sparse_dim, blocksize, dense_dim)
    return convert_layout(self, layout, blocksize, dense_dim)


sparse_row = TABLE.staged(
    "_to_sparse(Tensor self, int? sparse_dim=None, object layout=None, object? blocksize=None, int? dense_dim=None) "
    "-> Tensor",
    stages=sparse_stages,
    reference=None,
    method=False,
    out=False,
    doc="to_sparse of a tensor of another layout.",
)


def to_sparse(
    self: Tensor, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None
) -> Tensor:
    """The sparse tensor of the same elements, those that are not zero specified; itself where it is that already.

    sparse_dim: how many of the first dims are sparse (layout ``sparse_coo``); all by default.   layout: ``sparse_coo``
    by default.   blocksize: of the block layouts.   dense_dim: how many of the last dims are dense, of a compressed
    layout.   RuntimeError for numbers of dims that the tensor does not have.

    >>> import wengert as wg
    >>> wg.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse().values()
    tensor([1., 2.])
    """
    kind = SPARSE_COO if layout is None else layout
    if sparse_dim is not None:
        if is_strided(self) and not 0 <= sparse_dim <= self.dim():
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be in [0,{self.dim()}] range, but {sparse_dim} is given"
            )
        if self.dim() and sparse_dim == 0 and is_strided(self):
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be >0 when in.dim()>0, got 0 for {self.dim()} dims"
            )
    if kind is wc.strided:
        return to_dense(self)
    if kind not in (SPARSE_COO, *COMPRESSED):
        raise RuntimeError(f"to_sparse: conversion from {self.layout!r} to {kind!r} is not supported")
    if self.layout is kind and (kind is SPARSE_COO or (blocksize is None and dense_dim is None)):
        return self
    found: Tensor = sparse_row(self, sparse_dim, kind, blocksize, dense_dim)
    return found


def check_arguments(self: Tensor, kind: Any, sparse_dim: Any, blocksize: Any, dense_dim: int | None) -> None:
    """RuntimeError for what a compressed tensor cannot be converted to."""
    geometry = geometry_of(self)
    words = f"to_sparse: conversion from {self.layout._words} to {kind._words} with"
    if sparse_dim is not None and sparse_dim not in (2, 2 + len(geometry.batch)):
        raise RuntimeError(f"{words} sparse_dim argument !=2 is not supported, got {sparse_dim}")
    if blocksize is not None and kind not in BLOCKS:
        raise RuntimeError(f"{words} blocksize argument given is not supported, got {blocksize}")
    if dense_dim is not None and dense_dim != len(geometry.dense):
        raise RuntimeError(
            f"{words} dense_dim argument given is not supported, got {dense_dim} for a tensor with "
            f"{len(geometry.dense)} dense dims"
        )


def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The tensor of layout ``sparse_csr`` of the same elements: of a matrix, or a batch of matrices."""
    return to_sparse(self, layout=SPARSE_CSR, dense_dim=dense_dim)


def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The tensor of layout ``sparse_csc`` of the same elements: of a matrix, or a batch of matrices."""
    return to_sparse(self, layout=SPARSE_CSC, dense_dim=dense_dim)


def to_sparse_bsr(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """The tensor of layout ``sparse_bsr`` of the same elements; blocksize: (rows, columns) of each block."""
    return to_sparse(self, layout=SPARSE_BSR, blocksize=blocksize, dense_dim=dense_dim)


def to_sparse_bsc(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """The tensor of layout ``sparse_bsc`` of the same elements; blocksize: (rows, columns) of each block."""
    return to_sparse(self, layout=SPARSE_BSC, blocksize=blocksize, dense_dim=dense_dim)


# ---- masks


def mask_stages(self: Tensor, mask: Tensor, dense: bool) -> Tensor:
    """The elements of ``self`` at the indices of ``mask``."""
    parts = coo_of(mask)
    return make_coo(parts.indices, values_at(self, parts.indices), self.shape, parts.coalesced)


mask_row = TABLE.staged(
    "_sparse_mask(Tensor self, Tensor mask, bool dense) -> Tensor",
    stages=mask_stages,
    reference=None,
    method=False,
    out=False,
    doc="sparse_mask; dense: self is strided, and so is its gradient.",
)
lookup_row = TABLE.staged(
    "_values_at(Tensor self, Tensor indices, bool dense) -> Tensor",
    stages=lambda self, indices, dense: values_at(self, indices).clone(),
    reference=None,
    method=False,
    out=False,
    doc="The values at indices (S, N), zeros where a sparse tensor has none; dense: self is strided.",
)


def read_at(tensor: Tensor, indices: Tensor) -> Tensor:
    """The values of a tensor of any layout at indices (S, N). Differentiable."""
    if not is_strided(tensor) and not is_coo(tensor):
        tensor = to_sparse(tensor)
    found: Tensor = lookup_row(tensor, indices, is_strided(tensor))
    return found


def read_pattern(tensor: Tensor, pattern: Tensor) -> Tensor:
    """The values of a tensor of any layout where a compressed one has elements, as its component. Differentiable."""
    values = parts_of_compressed(pattern).values
    return read_at(tensor, indices_of_elements(pattern)).reshape(values.shape)


def indices_of_elements(pattern: Tensor) -> Tensor:
    """The indices (S, N) of the elements of a compressed tensor, in the order of its values."""
    entries = elements(entries_of(pattern))
    batch = indices_at(entries.batch, entries.geometry.batch)
    return wc.cat([batch, wc.stack([entries.row, entries.column])])


def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements of a tensor at the indices of a sparse one, as a sparse tensor with these indices. Differentiable.

    RuntimeError for tensors of different sizes, and for a mask that is strided.

    >>> import wengert as wg
    >>> mask = wg.sparse_coo_tensor([[0, 2]], [1.0, 1.0], (3,))
    >>> wg.tensor([5.0, 6.0, 7.0]).sparse_mask(mask).values()
    Traceback (most recent call last):
    RuntimeError: Cannot get values on an uncoalesced tensor, please call .coalesce() first
    >>> wg.tensor([5.0, 6.0, 7.0]).sparse_mask(mask.coalesce()).values()
    tensor([5., 7.])
    """
    if self.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {size_text(self.shape)} but mask has "
            f"size {size_text(mask.shape)}"
        )
    if is_strided(mask):
        raise RuntimeError("sparse_mask: expected mask to have a sparse layout, but got a strided tensor")
    if not is_strided(self) and not is_coo(self):
        self = to_sparse(self)
    if not is_coo(mask):
        from wengert_sparse.ops.compressed import like

        return like(mask, read_pattern(self, mask))
    if not is_strided(self) and not is_coo(self):
        self = to_sparse(self)
    masked: Tensor = mask_row(self, mask, is_strided(self))
    return masked


def coalesced_mask(tensor: Tensor) -> Tensor:
    """A sparse tensor as a mask: without history, coalesced where its layout is ``sparse_coo``."""
    parts = coalesce(coo_of(tensor), tensor.shape)
    return make_coo(parts.indices, parts.values, tensor.shape, True)


for _function in (to_dense, to_sparse, to_sparse_csr, to_sparse_csc, to_sparse_bsr, to_sparse_bsc, sparse_mask):
    add_method(_function)
