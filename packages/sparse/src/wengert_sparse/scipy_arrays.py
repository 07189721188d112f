"""Sparse tensors from and to SciPy's sparse arrays, on the same memory where both have it in one form."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_compressed, make_coo, parts_of_compressed
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.layouts import SPARSE_BSR, SPARSE_CSC, SPARSE_CSR
from wengert_sparse.messages import size_text
from wengert_sparse.table import TABLE

LAYOUTS = {"csr": SPARSE_CSR, "csc": SPARSE_CSC, "bsr": SPARSE_BSR}
"""The layout of each of SciPy's formats that is compressed."""


def from_scipy(array: Any) -> Tensor:
    """A tensor with the elements of one of SciPy's sparse arrays or matrices.

    Of the format ``csr``, ``csc`` or ``bsr`` it has the layout of that name and the array's memory, if the array's
    indices are sorted; of ``coo`` the layout ``sparse_coo`` and the array's values; other formats are converted.

    array: of a dtype that tensors have.   TypeError for what is no sparse array.

    >>> import scipy.sparse
    >>> import wengert as wg
    >>> x = wg.sparse.from_scipy(scipy.sparse.csr_array([[0.0, 2.0], [3.0, 0.0]]))
    >>> x.layout, x.values()
    (torch.sparse_csr, tensor([2., 3.], dtype=torch.float64))
    """
    if not import_module("scipy.sparse").issparse(array):
        raise TypeError(f"from_scipy(): argument 'array' must be a sparse array of SciPy, not {type(array).__name__}")
    kind = LAYOUTS.get(array.format)
    if kind is not None:
        if not array.has_canonical_format:
            array = array.copy()
            array.sum_duplicates()
        compressed, plain, values = (wc.from_numpy(part) for part in (array.indptr, array.indices, array.data))
        return make_compressed(kind, compressed, plain, values, array.shape)
    array = array.tocoo()
    indices = wc.stack([wc.from_numpy(part).to(wc.int64) for part in array.coords])
    return make_coo(indices, wc.from_numpy(array.data), array.shape, False)


def to_scipy(tensor: Tensor) -> Any:
    """One of SciPy's sparse arrays with the elements of a sparse tensor, which has no history.

    It has the tensor's memory: ``coo_array`` for ``sparse_coo``, ``csr_array``, ``csc_array`` and ``bsr_array`` for the
    layouts of these names. RuntimeError for a tensor that requires grad, for batches and dense dims, and for
    ``sparse_bsc``, which SciPy does not have.

    >>> import wengert as wg
    >>> array = wg.sparse.to_scipy(wg.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse_csr())
    >>> type(array).__name__, array.data
    ('csr_array', array([2., 3.], dtype=float32))
    """
    sparse = import_module("scipy.sparse")
    if is_strided(tensor):
        raise RuntimeError(f"to_scipy: expected a sparse tensor, got a strided one of size {size_text(tensor.shape)}")
    if tensor.requires_grad:
        raise RuntimeError(
            "Can't call to_scipy() on Tensor that requires grad. Use tensor.detach() first. (see "
            "docs/errors/numpy-of-requires-grad)"
        )
    if is_coo(tensor):
        parts = coo_of(tensor)
        if parts.indices.shape[0] == 0:
            raise RuntimeError("to_scipy: SciPy has no sparse arrays without dims")
        if parts.values.dim() != 1:
            raise RuntimeError(f"to_scipy: SciPy has no dense dims: got {parts.values.dim() - 1} of them")
        return sparse.coo_array((parts.values.numpy(), tuple(parts.indices.numpy())), shape=tuple(tensor.shape))
    geometry, found = geometry_of(tensor), parts_of_compressed(tensor)
    name = next((name for name, kind in LAYOUTS.items() if kind is tensor.layout), None)
    if name is None or geometry.batch or geometry.dense:
        raise RuntimeError(
            f"to_scipy: SciPy has matrices of the layouts sparse_coo, sparse_csr, sparse_csc and sparse_bsr, got "
            f"{tensor.layout!r} with {len(geometry.batch)} batch dims and {len(geometry.dense)} dense "
            "dims"
        )
    array = getattr(sparse, f"{name}_array")(tuple(tensor.shape), dtype=found.values.numpy().dtype)
    array.indptr, array.indices, array.data = (part.numpy() for part in found)
    return array


for _function in (from_scipy, to_scipy):
    TABLE.composite(_function, namespace="sparse")
