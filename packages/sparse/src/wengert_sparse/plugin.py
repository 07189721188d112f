"""The layouts of this package as a plugin: which kernel or function computes each operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import LayoutPlugin, Tensor
from wengert_registry import registry

from wengert_sparse import functions, printing
from wengert_sparse.components import (
    connect,
    coo_of,
    from_parts,
    is_coo,
    make_compressed,
    make_coo,
    parts_of_compressed,
)
from wengert_sparse.compressed import kernels as compressed
from wengert_sparse.coo import kernels as coo
from wengert_sparse.layouts import COMPRESSED, SPARSE_COO
from wengert_sparse.ops.construct import empty_coo
from wengert_sparse.table import TABLE


def first_sparse(arguments: Sequence[Any]) -> Any:
    """The layout of the first sparse tensor among the arguments of a call."""
    for value in arguments:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor) and each.layout is not wc.strided:
                return each.layout
    return SPARSE_COO


def by_layout(first: Callable[..., Any] | None, second: Callable[..., Any] | None) -> Callable[..., Any]:
    """A kernel that is one function for ``sparse_coo``, and another for the compressed layouts."""

    def kernel(*arguments: Any) -> Any:
        function = first if is_coo(arguments[0]) or first_sparse(arguments) is SPARSE_COO else second
        return NotImplemented if function is None else function(*arguments)

    return kernel


def merge_kernels(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """The kernels of all layouts."""
    return {name: by_layout(first.get(name), second.get(name)) for name in {**first, **second}}


class SparseLayouts(LayoutPlugin):
    """``sparse_coo`` and the compressed layouts."""

    layouts = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
    kernels = merge_kernels(coo.KERNELS, compressed.KERNELS)
    functions = functions.FUNCTIONS

    def first_use(self) -> None:
        """Load the op table, and with it the methods of its rows."""
        registry.group("ops").find("sparse")

    def describe(self, tensor: Any, notes: Sequence[str]) -> str:
        """The text of a tensor, as PyTorch prints it."""
        return printing.describe(tensor, notes)

    def clone(self, tensor: Any) -> Any:
        """A tensor with copies of the components."""
        if is_coo(tensor):
            parts = coo_of(tensor)
            return make_coo(parts.indices.clone(), parts.values.clone(), tensor.shape, parts.coalesced)
        return from_parts(tensor.layout, compressed.copy_parts(tensor), tensor.shape)

    def zeros(self, kind: Any, shape: Sequence[int], dtype: Any, device: Any) -> Any:
        """A tensor in which no element is specified."""
        if kind is SPARSE_COO:
            return empty_coo(shape, dtype, device)
        return compressed.empty(kind, shape, dtype, device)

    def elements(self, tensor: Any) -> Any:
        """The values."""
        return (coo_of(tensor) if is_coo(tensor) else parts_of_compressed(tensor)).values

    def sparse_gradient(self, indices: Any, values: Any, size: Sequence[int]) -> Any:
        """A gradient with these elements alone."""
        return TABLE.ops["_sparse_coo_tensor"](indices, values, tuple(size))

    def reduce(self, tensor: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A function and the components."""
        if is_coo(tensor):
            parts = coo_of(tensor)
            return make_coo, (parts.indices, parts.values, tuple(tensor.shape), parts.coalesced)
        return make_compressed, (tensor.layout, *parts_of_compressed(tensor), tuple(tensor.shape))

    def missing(self, op: Any, kinds: Sequence[Any]) -> Exception:
        """PyTorch's error for an operation that a layout does not have."""
        kind = next((kind for kind in kinds if kind is not wc.strided), SPARSE_COO)
        return NotImplementedError(
            f"Could not run '{op.qualified_name}' with arguments from the '{kind._words}CPU' backend: it is not "
            f"implemented for tensors of layout {kind!r}. Use .to_dense() where the strided tensor fits into memory, "
            "or compute on .values()"
        )


PLUGIN = SparseLayouts()
connect(PLUGIN)
ALL = (SPARSE_COO, *COMPRESSED)
