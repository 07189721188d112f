"""sparse.sum, sparse.softmax, sparse.log_softmax, and sparse.spdiags."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import coo_of, make_coo
from wengert_sparse.coo.indices import coalesce
from wengert_sparse.coo.reduce import reduced_dims, sum_dims
from wengert_sparse.coo.reduce import softmax as softmax_kernel
from wengert_sparse.messages import size_text
from wengert_sparse.ops.convert import to_sparse
from wengert_sparse.ops.members import require_coo
from wengert_sparse.parts import Coo
from wengert_sparse.table import TABLE


def sum_stages(self: Tensor, dim: Any, dtype: Any) -> Tensor:
    """The sum over some dims, not all; strided where no sparse dim is left."""
    parts = coalesce(coo_of(self), self.shape)
    dims = reduced_dims(dim, self.dim())
    indices, values, shape = sum_dims(parts, self.shape, dims, dtype or self.dtype)
    if indices.shape[0] == 0:
        return values.sum(0)
    found = coalesce(Coo(indices, values, False), shape)
    return make_coo(*found[:2], shape, True)


sum_row = TABLE.staged(
    "_sparse_sum(Tensor self, int[] dim, dtype? dtype=None) -> Tensor",
    stages=sum_stages,
    reference=None,
    method=False,
    out=False,
    doc="sparse.sum over some dims.",
)


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a tensor of layout ``sparse_coo``, over all or some dims; its gradient is at the indices of the
    tensor.

    >>> import wengert as wg
    >>> x = wg.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()
    >>> wg.sparse.sum(x), wg.sparse.sum(x, 0).to_dense()
    (tensor(5.), tensor([3., 2.]))
    """
    require_coo("coalesce", input)
    if dim is None:
        found: Tensor = input.coalesce().values().sum(dtype=dtype)
        return found
    dims = reduced_dims(dim, input.dim())
    if len(dims) == input.dim():
        return input.coalesce().values().sum(dtype=dtype)
    total: Tensor = sum_row(input, tuple(dims), dtype)
    return total


softmax_row = TABLE.staged(
    "_sparse_softmax(Tensor self, int dim) -> Tensor",
    stages=lambda self, dim: softmax_kernel(self, dim, False),
    reference=None,
    method=False,
    out=False,
    doc="sparse.softmax of a tensor of layout sparse_coo.",
)
log_softmax_row = TABLE.staged(
    "_sparse_log_softmax(Tensor self, int dim) -> Tensor",
    stages=lambda self, dim: softmax_kernel(self, dim, True),
    reference=None,
    method=False,
    out=False,
    doc="sparse.log_softmax of a tensor of layout sparse_coo.",
)


def softmax_of(row: Any, name: str, input: Tensor, dim: int, dtype: Any) -> Tensor:
    """A softmax of a sparse tensor, in a dtype."""
    require_coo(name, input)
    if not input.is_floating_point() and dtype is None:
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype!r}'")
    found: Tensor = row(input if dtype is None else input.to(dtype), dim)
    return found


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Softmax along a dim of the elements that are specified; the others count as minus infinity.

    >>> import wengert as wg
    >>> wg.sparse.softmax(wg.tensor([[0.0, 2.0, 2.0]]).to_sparse(), 1).values()
    tensor([0.5000, 0.5000])
    """
    return softmax_of(softmax_row, "softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along a dim of the elements that are specified.

    >>> import wengert as wg
    >>> wg.sparse.log_softmax(wg.tensor([[0.0, 2.0, 2.0]]).to_sparse(), 1).values()
    tensor([-0.6931, -0.6931])
    """
    return softmax_of(log_softmax_row, "log_softmax", input, dim, dtype)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> Tensor:
    """A sparse matrix of a shape with rows of ``diagonals`` on its diagonals at ``offsets``.

    Element j of a row is in column j. layout: ``sparse_coo`` by default.

    >>> import wengert as wg
    >>> wg.sparse.spdiags(wg.tensor([[1.0, 2.0, 3.0]]), wg.tensor([1]), (3, 3)).to_dense()
    tensor([[0., 2., 0.],
            [0., 0., 3.],
            [0., 0., 0.]])
    """
    if diagonals.dim() == 1:
        diagonals = diagonals.unsqueeze(0)
    offsets = offsets.reshape(1) if offsets.dim() == 0 else offsets
    if diagonals.dim() != 2 or offsets.dim() != 1 or diagonals.shape[0] != offsets.shape[0]:
        raise RuntimeError(
            "spdiags: Number of diagonals ("
            + str(diagonals.shape[0])
            + ") does not match the number of offsets ("
            + str(offsets.shape[0])
            + f"): got diagonals of size {size_text(diagonals.shape)}"
        )
    if wc.unique(offsets).shape[0] != offsets.shape[0]:
        raise RuntimeError("spdiags: Offset tensor contains duplicate values")
    rows, columns = shape
    column = wc.arange(diagonals.shape[1], device=diagonals.device).expand(diagonals.shape)
    row = column - offsets.to(wc.int64).unsqueeze(1)
    there = (row >= 0) & (row < rows) & (column < columns)
    indices = wc.stack([row[there], column[there]])
    found: Tensor = TABLE.ops["_sparse_coo_tensor"](indices, diagonals[there], (rows, columns), False)
    return found if layout is None else to_sparse(found, layout=layout)


for _function in (sum, softmax, log_softmax, spdiags):
    TABLE.composite(_function, namespace="sparse")
