"""Constructors of the compressed layouts."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import make_compressed, parts_of_compressed
from wengert_sparse.compressed.invariants import check_compressed, check_shapes
from wengert_sparse.invariants import checks_invariants
from wengert_sparse.layouts import BLOCKS, COMPRESSED, ROWS, SPARSE_BSC, SPARSE_BSR, SPARSE_CSC, SPARSE_CSR
from wengert_sparse.ops.construct import as_strided_tensor, with_grad
from wengert_sparse.table import TABLE

row = TABLE.staged(
    "_sparse_compressed_tensor(Tensor compressed, Tensor plain, Tensor values, int[] size, object layout) -> Tensor",
    stages=lambda compressed, plain, values, size, layout: make_compressed(
        layout, compressed.detach(), plain.detach(), values.detach(), size
    ),
    reference=None,
    method=False,
    out=False,
    doc="A tensor of a compressed layout with these components, which are not checked.",
)


def select_stages(self: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index."""
    from wengert_sparse.compressed.structure import select_kernel

    return select_kernel(self, dim, index)


select_row = TABLE.staged(
    "_compressed_select(Tensor self, int dim, int index) -> Tensor",
    stages=select_stages,
    reference=None,
    method=False,
    out=False,
    doc="select of a compressed tensor, whose gradient is at the indices of the tensor, in its layout.",
)


def layout_stages(self: Tensor, layout: Any, blocksize: Any) -> Tensor:
    """The same elements in another layout."""
    from wengert_sparse.compressed.convert import convert_layout

    return convert_layout(self, layout, blocksize, None)


layout_row = TABLE.staged(
    "_as_layout(Tensor self, object layout, object? blocksize) -> Tensor",
    stages=layout_stages,
    reference=None,
    method=False,
    out=False,
    doc="A sparse tensor in another layout, whose gradient may have elements where the tensor has none.",
)
mm_row = TABLE.staged(
    "_compressed_mm(Tensor mat1, Tensor mat2) -> Tensor",
    stages=lambda mat1, mat2: wc.mm(mat1, mat2),
    reference=None,
    method=False,
    out=False,
    doc="mm of two sparse matrices, of which the first is compressed.",
)


def like(tensor: Tensor, values: Tensor) -> Tensor:
    """A compressed tensor with the indices of another, and these values. Differentiable."""
    parts = parts_of_compressed(tensor)
    found: Tensor = row(parts.compressed, parts.plain, values, tuple(tensor.shape), tensor.layout)
    return found


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A tensor of a compressed layout, with components that each of them names differently.

    compressed_indices: (*B, rows + 1) or (*B, columns + 1): where each row, or column, begins in the other components.
    plain_indices: (*B, N): the column, or row, of each element or block.   values: (*B, N, *block, *dense).
    size: of all dims; None: as large as the indices need.

    >>> import wengert as wg
    >>> wg.sparse_compressed_tensor([0, 1, 2], [1, 0], [5.0, 6.0], layout=wg.sparse_csr).to_dense()
    tensor([[0., 5.],
            [6., 0.]])
    """
    if layout is None:
        raise RuntimeError(
            "sparse_compressed_tensor expected sparse compressed tensor layout but got none: give layout="
        )
    return construct(
        "sparse_compressed_tensor",
        layout,
        compressed_indices,
        plain_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
        check_invariants,
    )


def construct(
    name: str,
    kind: Any,
    compressed: Any,
    plain: Any,
    values: Any,
    size: Any,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    check: bool | None,
) -> Tensor:
    """A tensor of a compressed layout, its components checked as far as that costs nothing, or as far as is asked
    for.
    """
    if kind not in COMPRESSED:
        raise RuntimeError(f"{name} expected sparse compressed tensor layout but got {getattr(kind, '_words', kind)}")
    values = as_strided_tensor(name, "values", values, dtype=dtype, device=device)
    compressed, plain = (
        index_tensor(name, argument, value, values.device)
        for argument, value in (("compressed_indices", compressed), ("plain_indices", plain))
    )
    if compressed.dtype is not plain.dtype:
        compressed, plain = compressed.to(wc.int64), plain.to(wc.int64)
    size = needed_size(kind, compressed, plain, values) if size is None else tuple(int(n) for n in size)
    check_shapes(kind, compressed, plain, values, size)
    if checks_invariants(check):
        check_compressed(kind, compressed, plain, values, size)
    found: Tensor = row(compressed, plain, values, size, kind)
    return with_grad(found, requires_grad)


def index_tensor(name: str, argument: str, value: Any, device: Any) -> Tensor:
    """Indices as an integer tensor."""
    found = as_strided_tensor(name, argument, value, device=device)
    if found.dtype not in (wc.int64, wc.int32):
        if found.is_floating_point() or found.is_complex() or found.dtype is wc.bool:
            raise RuntimeError(f"{name}: `{argument}` must be of dtype Int or Long, got {found.dtype}")
        found = found.to(wc.int64)
    return found


def needed_size(kind: Any, compressed: Tensor, plain: Tensor, values: Tensor) -> tuple[int, ...]:
    """The size that holds all elements."""
    n_batch = compressed.dim() - 1
    block = tuple(values.shape[n_batch + 1 : n_batch + 3]) if kind in BLOCKS else (1, 1)
    dense = tuple(values.shape[n_batch + (3 if kind in BLOCKS else 1) :])
    lines = compressed.shape[-1] - 1
    others = int(plain.max().item()) + 1 if plain.numel() else 0
    rows, columns = (lines, others) if kind in ROWS else (others, lines)
    return (*compressed.shape[:-1], rows * block[0], columns * block[1], *dense)


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A tensor of layout ``sparse_csr``: a matrix, or a batch of matrices.

    crow_indices: (*B, rows + 1): where each row begins in the other components.
    col_indices: (*B, N): the column of each element.   values: (*B, N, *dense).
    size: of all dims; None: as large as the indices need.

    >>> import wengert as wg
    >>> wg.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 6.0]).to_dense()
    tensor([[0., 5.],
            [6., 0.]])
    """
    return construct(
        "sparse_csr_tensor",
        SPARSE_CSR,
        crow_indices,
        col_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
        check_invariants,
    )


def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A tensor of layout ``sparse_csc``: a matrix, or a batch of matrices.

    ccol_indices: (*B, columns + 1): where each column begins in the other components.
    row_indices: (*B, N): the row of each element.   values: (*B, N, *dense).
    size: of all dims; None: as large as the indices need.
    """
    return construct(
        "sparse_csc_tensor",
        SPARSE_CSC,
        ccol_indices,
        row_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
        check_invariants,
    )


def sparse_bsr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A tensor of layout ``sparse_bsr``: a matrix, or a batch of matrices.

    crow_indices: (*B, rows + 1): where each row of blocks begins in the other components.
    col_indices: (*B, N): the column of each block.   values: (*B, N, height, width, *dense).
    size: of all dims; None: as large as the indices need.
    """
    return construct(
        "sparse_bsr_tensor",
        SPARSE_BSR,
        crow_indices,
        col_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
        check_invariants,
    )


def sparse_bsc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A tensor of layout ``sparse_bsc``: a matrix, or a batch of matrices.

    ccol_indices: (*B, columns + 1): where each column of blocks begins in the other components.
    row_indices: (*B, N): the row of each block.   values: (*B, N, height, width, *dense).
    size: of all dims; None: as large as the indices need.
    """
    return construct(
        "sparse_bsc_tensor",
        SPARSE_BSC,
        ccol_indices,
        row_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
        check_invariants,
    )


for _function in (sparse_compressed_tensor, sparse_csr_tensor, sparse_csc_tensor, sparse_bsr_tensor, sparse_bsc_tensor):
    TABLE.composite(_function)
