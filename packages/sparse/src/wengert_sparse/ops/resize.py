"""In-place changes of a sparse tensor's size."""

from __future__ import annotations

from collections.abc import Sequence

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import replace_parts
from wengert_sparse.messages import size_text
from wengert_sparse.ops.members import require_coo
from wengert_sparse.parts import Coo
from wengert_sparse.table import add_method


def check_leafless(name: str, self: Tensor) -> None:
    """RuntimeError for a tensor with a history, which a change of its size would lose."""
    if self.requires_grad:
        raise RuntimeError(
            f"{name}: cannot change the size of a tensor that requires grad, of size {size_text(self.shape)}; use "
            ".detach()"
        )


def sparse_resize_and_clear_(self: Tensor, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Tensor:
    """Give a tensor of layout ``sparse_coo`` another size and other numbers of dims; no element is specified then."""
    require_coo("sparse_resize_and_clear_", self)
    check_leafless("sparse_resize_and_clear_", self)
    check_dims("sparse_resize_and_clear_", size, sparse_dim, dense_dim)
    values = wc.empty((0, *size[sparse_dim:]), dtype=self.dtype, device=self.device)
    indices = wc.empty((sparse_dim, 0), dtype=wc.int64, device=self.device)
    replace_parts(self, Coo(indices, values, True), size)
    return self


def sparse_resize_(self: Tensor, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Tensor:
    """Give a tensor of layout ``sparse_coo`` another size; it keeps its elements, so no size may become smaller.

    The numbers of dims can change only while no element is specified.
    """
    parts = require_coo("sparse_resize_", self)
    check_leafless("sparse_resize_", self)
    check_dims("sparse_resize_", size, sparse_dim, dense_dim)
    if parts.indices.shape[1] == 0:
        return sparse_resize_and_clear_(self, size, sparse_dim, dense_dim)
    old = parts.indices.shape[0]
    if sparse_dim != old or dense_dim != parts.values.dim() - 1:
        which = "sparse" if sparse_dim != old else "dense"
        raise RuntimeError(
            f"changing the number of {which} dimensions (from {old if which == 'sparse' else parts.values.dim() - 1} "
            f"to {sparse_dim if which == 'sparse' else dense_dim}) on a non-empty sparse tensor is not supported."
        )
    if any(new < before for new, before in zip(size[:old], self.shape[:old], strict=False)):
        raise RuntimeError(
            f"shrinking the size of sparse dimensions (from {size_text(self.shape[:old])} to {size_text(size[:old])}) "
            "on a non-empty sparse tensor is not supported."
        )
    if any(new < before for new, before in zip(size[old:], self.shape[old:], strict=False)):
        raise RuntimeError(
            f"shrinking the size of dense dimensions (from {size_text(self.shape[old:])} to {size_text(size[old:])}) "
            "on a non-empty sparse tensor is not supported."
        )
    values = parts.values
    if tuple(values.shape[1:]) != tuple(size[old:]):
        values = wc.zeros((values.shape[0], *size[old:]), dtype=self.dtype, device=self.device)
        values[tuple(slice(0, n) for n in parts.values.shape)] = parts.values
    replace_parts(self, Coo(parts.indices, values, parts.coalesced), size)
    return self


def check_dims(name: str, size: Sequence[int], sparse_dim: int, dense_dim: int) -> None:
    """RuntimeError where the numbers of dims do not add up."""
    if sparse_dim < 0 or dense_dim < 0 or sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            f"{name}: 'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )


for _function in (sparse_resize_, sparse_resize_and_clear_):
    add_method(_function)
