"""Products that PyTorch has for sparse tensors only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.coo.indices import positions
from wengert_sparse.libraries import matrix, require_sparse_module
from wengert_sparse.loops.products import sampled_product
from wengert_sparse.messages import size_text
from wengert_sparse.ops.convert import to_sparse
from wengert_sparse.table import TABLE

CHUNK = 1 << 22
"""The most numbers that a product of rows and columns has in memory at once."""
CHUNK_ON_DEVICE = 1 << 26
"""The same, where each operation costs a launch."""


# ---- products of chosen rows and columns


def sampled_stages(indices: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The elements at indices (2, N) of the product of a (M, K) and b (K, L)."""
    count, inner = indices.shape[1], a.shape[1]
    columns = b.t()
    by_loops = sampled_product(indices, a.contiguous(), columns.contiguous())
    if by_loops is not None:
        return by_loops
    step = max((CHUNK if a.device.type == "cpu" else CHUNK_ON_DEVICE) // max(inner, 1), 1)
    parts = []
    for begin in range(0, count, step):
        chosen = indices[:, begin : begin + step]
        parts.append((a.index_select(0, chosen[0]) * columns.index_select(0, chosen[1])).sum(1))
    return wc.cat(parts) if parts else a.new_zeros(0)


sampled_row = TABLE.staged(
    "_sampled_product(Tensor indices, Tensor a, Tensor b) -> Tensor",
    stages=sampled_stages,
    reference=None,
    method=False,
    out=False,
    doc="The elements at indices (2, N) of the product of two strided matrices.",
)


# ---- addmm with a gradient at the indices of the sparse matrix


def addmm_stages(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * self + alpha * mat1 @ mat2."""
    found: Tensor = wc.addmm(self, mat1, mat2, beta=beta, alpha=alpha)
    return found


addmm_row = TABLE.staged(
    "_sparse_addmm(Tensor self, Tensor mat1, Tensor mat2, Scalar beta=1, Scalar alpha=1) -> Tensor",
    stages=addmm_stages,
    reference=None,
    method=False,
    out=False,
    doc="sparse.addmm: the gradient of a sparse mat1 is at its indices.",
)
mm_row = TABLE.staged(
    "_sparse_mm(Tensor mat1, Tensor mat2) -> Tensor",
    stages=lambda mat1, mat2: wc.mm(mat1, mat2),
    reference=None,
    method=False,
    out=False,
    doc="sparse.mm: the gradient of a sparse matrix is at its indices.",
)


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices; the gradient of a sparse one is sparse, at its indices.

    reduce: "sum", "mean", "amax" or "amin" in place of the sum of the products, for a first matrix of layout
    ``sparse_csr`` and a strided second one.

    >>> import wengert as wg
    >>> a = wg.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()
    >>> wg.sparse.mm(a, wg.tensor([[1.0], [10.0]]))
    tensor([[20.],
            [ 3.]])
    """
    if reduce is not None and reduce != "sum":
        from wengert_sparse.ops.reduced_product import reduced_mm

        return reduced_mm(mat1, mat2, reduce)
    found: Tensor = mm_row(mat1, mat2)
    return found


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * mat + alpha * mat1 @ mat2; the gradient of a sparse mat1 is sparse, at its indices.

    >>> import wengert as wg
    >>> a = wg.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()
    >>> wg.sparse.addmm(wg.ones(2, 1), a, wg.tensor([[1.0], [10.0]]), beta=5)
    tensor([[25.],
            [ 8.]])
    """
    found: Tensor = addmm_row(mat, mat1, mat2, beta, alpha)
    return found


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, of which the first may be sparse: an older name of ``mm``.

    >>> import wengert as wg
    >>> wg.dsmm(wg.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse(), wg.ones(2, 1))
    tensor([[2.],
            [3.]])
    """
    return wc.mm(input, mat2)


def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse and a strided matrix, as a sparse one with all elements of the rows that are used."""
    return sspaddmm_of(None, input, mat, 0, 1)


def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * mat1 @ mat2 of sparse ``input`` and ``mat1`` and a strided ``mat2``; sparse, not
    coalesced.
    """
    return sspaddmm_of(input, mat1, mat2, beta, alpha)


def sspaddmm_of(added: Tensor | None, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """The sum of a sparse matrix and the rows of a product."""
    for name, tensor in (("input", added), ("mat1", mat1)):
        if tensor is not None and not is_coo(tensor):
            raise RuntimeError(
                f"sspaddmm: expected {name} to be a tensor of layout torch.sparse_coo, got {tensor.layout!r}"
            )
    product: Tensor = mm_row(mat1, mat2) * alpha
    rows = used_rows(mat1)
    found = to_sparse_rows(product, rows)
    if added is None:
        return found
    if added.shape != product.shape:
        raise RuntimeError(
            f"sspaddmm: Argument #1: Expected the size {size_text(product.shape)}, got {size_text(added.shape)}"
        )
    return added * beta + found if beta != 0 else found


def used_rows(matrix: Tensor) -> Tensor:
    """The numbers of the rows in which a sparse matrix has elements, sorted."""
    found: Tensor = wc.unique(coo_of(matrix).indices[0])
    return found


def to_sparse_rows(matrix: Tensor, rows: Tensor) -> Tensor:
    """A strided matrix as a sparse one: all elements of some rows."""
    columns = matrix.shape[1]
    indices = wc.stack([rows.repeat_interleave(columns), wc.arange(columns, device=rows.device).repeat(rows.shape[0])])
    found: Tensor = matrix.sparse_mask(
        make_coo(indices, wc.empty(indices.shape[1], dtype=matrix.dtype), matrix.shape, True)
    )
    return found


def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a strided matrix, as a hybrid tensor: its first dim sparse, with the rows that are
    used.
    """
    if not is_coo(mat1):
        raise RuntimeError(f"hspmm: expected mat1 to be a tensor of layout torch.sparse_coo, got {mat1.layout!r}")
    product: Tensor = mm_row(mat1, mat2)
    rows = used_rows(mat1)
    mask = make_coo(
        rows.unsqueeze(0), wc.empty((rows.shape[0], product.shape[1]), dtype=product.dtype), product.shape, True
    )
    found: Tensor = product.sparse_mask(mask)
    return found


def sampled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * mat1 @ mat2 at the indices of a sparse ``input``; mat1 and mat2 are strided, matrices or
    batches of them as ``input`` is.

    >>> import wengert as wg
    >>> mask = wg.tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse_csr()
    >>> wg.sparse.sampled_addmm(mask, wg.ones(2, 3), wg.ones(3, 2), beta=0).values()
    tensor([3., 3.])
    """
    if is_strided(input):
        raise RuntimeError(f"sampled_addmm: Expected input to have a sparse layout, but got {input.layout!r}")
    if not (is_strided(mat1) and is_strided(mat2)):
        raise RuntimeError(
            f"sampled_addmm: Expected mat1 and mat2 to be strided, but got {mat1.layout!r} and {mat2.layout!r}"
        )
    if not tuple(mat1.shape[:-2]) == tuple(mat2.shape[:-2]) == tuple(input.shape[:-2]):
        raise RuntimeError(
            "sampled_addmm: Expected self, mat1 and mat2 to have the same batch size, but got sizes "
            f"{size_text(input.shape)}, {size_text(mat1.shape)} and {size_text(mat2.shape)}"
        )
    if mat1.dim() < 2 or mat1.shape[-1] != mat2.shape[-2] or input.shape[-2:] != (mat1.shape[-2], mat2.shape[-1]):
        raise RuntimeError(
            f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied to the size {size_text(input.shape)} of input: "
            f"got {size_text(mat1.shape)} and {size_text(mat2.shape)}"
        )
    kind, pattern = input.layout, input if is_coo(input) else to_sparse(input)
    pattern = pattern.coalesce()
    indices = coo_of(pattern).indices
    if indices.shape[0] != input.dim():
        raise RuntimeError(f"sampled_addmm: expected an input without dense dims, got {pattern.dense_dim()} of them")
    values = sampled_row(*as_one_product(indices, mat1, mat2)) * alpha
    if beta != 0:
        values = values + pattern.values() * beta
    found: Tensor = TABLE.ops["_sparse_coo_tensor"](indices, values, tuple(input.shape), True)
    return found if kind is found.layout else to_sparse(found, layout=kind, blocksize=geometry_of(input).block)


def as_one_product(indices: Tensor, mat1: Tensor, mat2: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows and columns (2, N), and two matrices: those of a batch below and beside each other."""
    if mat1.dim() == 2:
        return indices, mat1, mat2
    batch = positions(indices[:-2], mat1.shape[:-2])
    rows, inner, columns = mat1.shape[-2], mat1.shape[-1], mat2.shape[-1]
    row, column = batch * rows + indices[-2], batch * columns + indices[-1]
    beside = mat2.reshape(-1, inner, columns).permute(1, 0, 2).reshape(inner, -1)
    return wc.stack([row, column]), mat1.reshape(-1, inner), beside


def spsolve(input: Tensor, other: Tensor, *, left: bool = True) -> Tensor:
    """The solution x of input @ x = other, for a square matrix of layout ``sparse_csr`` and a strided vector.
    Differentiable.

    >>> import wengert as wg
    >>> a = wg.tensor([[2.0, 0.0], [1.0, 4.0]]).to_sparse_csr()
    >>> wg.sparse.spsolve(a, wg.tensor([2.0, 9.0]))
    tensor([1., 2.])
    """
    if not left:
        raise RuntimeError("spsolve: only left=True is supported")
    if is_strided(input) or input.dim() != 2 or input.shape[0] != input.shape[1]:
        raise RuntimeError(
            f"spsolve: expected a square matrix of layout torch.sparse_csr, got one of layout {input.layout!r} and "
            f"size {size_text(input.shape)}"
        )
    if not is_strided(other) or other.dim() != 1 or other.shape[0] != input.shape[0]:
        raise RuntimeError(
            f"spsolve: expected a strided vector of {input.shape[0]} elements, got {size_text(other.shape)}"
        )
    found: Tensor = spsolve_row(input, other)
    return found


def spsolve_stages(input: Tensor, other: Tensor) -> Tensor:
    """The solution, by SciPy."""
    parts = coo_of(input if is_coo(input) else to_sparse(input))
    found: Tensor = solve_row(parts.indices, parts.values, other)
    return found


def solve_reference(xp: Any, indices: Any, values: Any, other: Any) -> Any:
    """The solution of a sparse system of linear equations."""
    size = other.shape[0]
    module = require_sparse_module("the solution of a sparse system", values, other)
    system = matrix(module, "coo", (values, (indices[0], indices[1])), (size, size))
    if module.__name__ == "scipy.sparse":
        system = system.tocsc()
    else:  # cuSPARSE solves systems in compressed rows with indices of 32 bits
        system = system.tocsr()
        parts = (system.data, system.indices.astype(np.int32), system.indptr.astype(np.int32))
        system = matrix(module, "csr", parts, (size, size))
    return import_module(f"{module.__name__}.linalg").spsolve(system, other).astype(other.dtype)


solve_row = TABLE.array(
    "_coo_solve(Tensor indices, Tensor values, Tensor other) -> Tensor",
    results=("array",),
    reference=solve_reference,
    method=False,
    no_record=True,
    doc="The solution of a sparse system.",
)
spsolve_row = TABLE.staged(
    "_spsolve(Tensor input, Tensor other) -> Tensor",
    stages=spsolve_stages,
    reference=None,
    method=False,
    out=False,
    doc="sparse.spsolve.",
)

for _function in (mm, addmm, sampled_addmm, spsolve):
    TABLE.composite(_function, namespace="sparse")
TABLE.composite(smm, method=True)
TABLE.composite(sspaddmm, method=True)
TABLE.composite(hspmm)
TABLE.composite(dsmm)
