"""``sparse.mm`` with a reduction other than the sum."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.layouts import COMPRESSED, SPARSE_CSR
from wengert_sparse.messages import size_text

REDUCTIONS = ("sum", "mean", "amax", "amin")


def reduced_mm(mat1: Tensor, mat2: Tensor, reduce: str) -> Tensor:
    """For each row the mean, largest or smallest of its products; 0 for a row without elements. Differentiable."""
    if reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, mean, amax or amin, got {reduce}")
    if mat1.layout in COMPRESSED and mat1.layout is not SPARSE_CSR:
        raise RuntimeError(
            f"sparse_mm_reduce: expect self to be SparseCsr, got {mat1.layout._words}: convert it with .to_sparse_csr()"
        )
    if is_strided(mat1) or mat1.layout is not SPARSE_CSR or not is_strided(mat2):
        raise NotImplementedError(
            "Could not run 'aten::_sparse_mm_reduce_impl': sparse.mm with reduce expects a first matrix of layout "
            f"torch.sparse_csr and a strided second one, got {mat1.layout!r} and {mat2.layout!r}"
        )
    if mat1.dim() != 2 or mat2.dim() != 2 or mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"sparse.mm: shapes cannot be multiplied: {size_text(mat1.shape)} and {size_text(mat2.shape)}"
        )
    row = wc.repeat_interleave(mat1.crow_indices().diff())
    products = mat1.values().unsqueeze(1) * mat2.index_select(0, mat1.col_indices().to(wc.int64))
    zeros = products.new_zeros((mat1.shape[0], mat2.shape[1]))
    index = row.unsqueeze(1).expand(products.shape)
    return wc.scatter_reduce(zeros, 0, index, products, reduce, include_self=False)
