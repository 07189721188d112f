"""Members of a sparse tensor: indices, values, their number, and whether they are coalesced."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor, components_of, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo, values_if_plain
from wengert_sparse.coo import fast_paths
from wengert_sparse.coo.indices import coalesce as coalesce_parts
from wengert_sparse.layouts import COMPRESSED, ROWS
from wengert_sparse.parts import Coo
from wengert_sparse.table import TABLE, add_method


def refuse(name: str, tensor: Tensor, expected: str) -> None:
    """RuntimeError, in PyTorch's words, for a tensor of a layout that has no such component."""
    raise RuntimeError(f"{name} expected {expected} tensor layout but got {tensor.layout._words}")


def require_coo(name: str, tensor: Tensor) -> Coo:
    """The components of a tensor of layout ``sparse_coo``; RuntimeError for another one."""
    if not is_coo(tensor):
        refuse(name, tensor, "sparse coordinate")
    return coo_of(tensor)


# ---- differentiable


def coalesced_copy(self: Tensor) -> Tensor:
    """The tensor with its indices sorted, each once."""
    parts = coalesce_parts(require_coo("coalesce", self), self.shape)
    return make_coo(parts.indices, parts.values, self.shape, True)


coalesce_row = TABLE.staged(
    "_coalesce(Tensor self) -> Tensor",
    stages=coalesced_copy,
    reference=None,
    method=False,
    out=False,
    doc="coalesce of a tensor that is not coalesced.",
)
values_row = TABLE.staged(
    "values(Tensor self) -> Tensor",
    stages=lambda self: components_of(self).values.detach(),
    reference=None,
    key="_values_of",
    method=False,
    out=False,
    doc="The values of a sparse tensor, in their own memory.",
)


def coalesce(self: Tensor) -> Tensor:
    """The tensor of layout ``sparse_coo`` with its indices sorted by rows, each once: values of one index are added.

    Itself where it is coalesced. RuntimeError for a tensor of another layout.

    >>> import wengert as wg
    >>> wg.sparse_coo_tensor([[1, 1, 0]], [1.0, 2.0, 3.0]).coalesce().values()
    tensor([3., 3.])
    """
    plain = fast_paths.coalesce_if_plain(self)
    if plain is not None:
        return plain
    if require_coo("coalesce", self).coalesced:
        return self
    found: Tensor = coalesce_row(self)
    return found


def values(self: Tensor) -> Tensor:
    """The values of a sparse tensor, (N, ...), in its own memory. Differentiable.

    RuntimeError for a strided tensor, and for one of layout ``sparse_coo`` that is not coalesced.

    >>> import wengert as wg
    >>> wg.tensor([0.0, 2.0, 3.0]).to_sparse().values()
    tensor([2., 3.])
    """
    plain = values_if_plain(self)
    if plain is not None:
        return plain
    if is_strided(self):
        refuse("values", self, "sparse")
    if is_coo(self) and not coo_of(self).coalesced:
        raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    found: Tensor = values_row(self)
    return found


# ---- not differentiable


def indices(self: Tensor) -> Tensor:
    """The indices (S, N) of a coalesced tensor of layout ``sparse_coo``, in its own memory.

    RuntimeError for a tensor of another layout, and for one that is not coalesced.

    >>> import wengert as wg
    >>> wg.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse().indices()
    tensor([[0, 1],
            [1, 0]])
    """
    parts = require_coo("indices", self)
    if not parts.coalesced:
        raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return parts.indices.detach()


def internal_parts(name: str, tensor: Tensor) -> Coo:
    """The components of a tensor of layout ``sparse_coo``; PyTorch's error for another one."""
    if not is_coo(tensor):
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the '{tensor.layout._words}CPU' backend: it is for "
            "tensors of "
            "layout torch.sparse_coo"
        )
    return coo_of(tensor)


def _indices(self: Tensor) -> Tensor:
    """The indices (S, N) of a tensor of layout ``sparse_coo``, also if it is not coalesced."""
    return internal_parts("_indices", self).indices.detach()


def _values(self: Tensor) -> Tensor:
    """The values (N, ...) of a tensor of layout ``sparse_coo``, without history, also if it is not coalesced."""
    return internal_parts("_values", self).values.detach()


def is_coalesced(self: Tensor) -> bool:
    """Whether the indices of a tensor of layout ``sparse_coo`` are known to be sorted and different.

    >>> import wengert as wg
    >>> wg.sparse_coo_tensor([[1, 1]], [1.0, 2.0]).is_coalesced()
    False
    """
    return require_coo("is_coalesced", self).coalesced


def sparse_dim(self: Tensor) -> int:
    """The number of sparse dims; 0 of a strided tensor."""
    if is_strided(self):
        return 0
    return coo_of(self).indices.shape[0] if is_coo(self) else 2


def dense_dim(self: Tensor) -> int:
    """The number of dense dims: of those which each value has; all of a strided tensor."""
    if is_strided(self):
        return self.dim()
    if is_coo(self):
        return coo_of(self).values.dim() - 1
    from wengert_sparse.compressed.geometry import dense_dim_of

    return dense_dim_of(self)


def _nnz(self: Tensor) -> int:
    """The number of elements that are specified, of blocks or of rows of dense dims."""
    if is_strided(self):
        raise NotImplementedError(
            "Could not run 'aten::_nnz' with arguments from the 'CPU' backend: a strided tensor has no number of "
            "specified elements"
        )
    parts = components_of(self)
    return int(parts.values.shape[0] if isinstance(parts, Coo) else parts.plain.shape[-1])


def member(name: str, kinds: Any, place: int, words: str) -> Any:
    """A method that returns a component of a compressed layout."""

    def method(self: Tensor) -> Tensor:
        if is_strided(self) or self.layout not in kinds:
            refuse(name, self, words)
        found: Tensor = components_of(self)[place].detach()
        return found

    method.__name__ = name
    return method


COLUMNS = tuple(kind for kind in COMPRESSED if kind not in ROWS)
ROWS_WORDS, COLUMNS_WORDS = "sparse row compressed", "sparse column compressed"
MEMBERS = (
    (
        member("crow_indices", ROWS, 0, ROWS_WORDS),
        "Where each row begins in the other components, and the end of the last.",
    ),
    (member("col_indices", ROWS, 1, ROWS_WORDS), "The column of each element, or block."),
    (
        member("ccol_indices", COLUMNS, 0, COLUMNS_WORDS),
        "Where each column begins in the other components, and the end of the last.",
    ),
    (member("row_indices", COLUMNS, 1, COLUMNS_WORDS), "The row of each element, or block."),
)

for _function in (coalesce, values, indices, _indices, _values, is_coalesced, sparse_dim, dense_dim, _nnz):
    add_method(_function)
for _function, _doc in MEMBERS:
    add_method(_function, _doc)
