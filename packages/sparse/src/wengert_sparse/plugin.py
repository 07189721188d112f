"""The layouts of this package as a plugin: which kernel or function computes each operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import LayoutPlugin, components_of
from wengert_registry import registry

from wengert_sparse import functions, printing
from wengert_sparse.components import connect, coo_of, make_compressed, make_coo, parts_of_compressed
from wengert_sparse.compressed import kernels as compressed
from wengert_sparse.coo import kernels as coo
from wengert_sparse.layouts import SPARSE_COO
from wengert_sparse.ops.construct import empty_coo
from wengert_sparse.table import TABLE


class SparseLayout(LayoutPlugin):
    """The common part of this package's layouts."""

    functions = functions.FUNCTIONS

    def first_use(self) -> None:
        """Load the op table, and with it the methods of its rows."""
        registry.group("ops").find("sparse")

    def describe(self, tensor: Any, notes: Sequence[str]) -> str:
        """The text of a tensor, as PyTorch prints it."""
        return printing.describe(tensor, notes)

    def elements(self, tensor: Any) -> Any:
        """The values."""
        return components_of(tensor).values

    def missing(self, op: Any, kinds: Sequence[Any]) -> Exception:
        """PyTorch's error for an operation that a layout does not have."""
        kind = next((kind for kind in kinds if kind is not wc.strided), SPARSE_COO)
        return NotImplementedError(
            f"Could not run '{op.qualified_name}' with arguments from the '{kind._words}CPU' backend: it is not "
            f"implemented for tensors of layout {kind!r}. Use .to_dense() where the strided tensor fits into memory, "
            "or compute on .values()"
        )


class CooLayout(SparseLayout):
    """``sparse_coo``."""

    layouts = ("sparse_coo",)
    kernels = coo.KERNELS

    def clone(self, tensor: Any) -> Any:
        """A tensor with copies of the components."""
        return coo.clone(tensor)

    def zeros(self, kind: Any, shape: Sequence[int], dtype: Any, device: Any) -> Any:
        """A tensor in which no element is specified."""
        return empty_coo(shape, dtype, device)

    def sparse_gradient(self, indices: Any, values: Any, size: Sequence[int]) -> Any:
        """A gradient with these elements alone."""
        return TABLE.ops["_sparse_coo_tensor"](indices, values, tuple(size))

    def reduce(self, tensor: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A function and the components."""
        parts = coo_of(tensor)
        return make_coo, (parts.indices, parts.values, tuple(tensor.shape), parts.coalesced)


class CompressedLayouts(SparseLayout):
    """``sparse_csr``, ``sparse_csc``, ``sparse_bsr`` and ``sparse_bsc``."""

    layouts = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
    kernels = compressed.KERNELS

    def clone(self, tensor: Any) -> Any:
        """A tensor with copies of the components."""
        return compressed.clone(tensor)

    def zeros(self, kind: Any, shape: Sequence[int], dtype: Any, device: Any) -> Any:
        """A tensor in which no element is specified."""
        return compressed.empty(kind, shape, dtype, device)

    def reduce(self, tensor: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A function and the components."""
        return make_compressed, (tensor.layout, *parts_of_compressed(tensor), tuple(tensor.shape))


COO, COMPRESSED = CooLayout(), CompressedLayouts()
connect(COO, COMPRESSED)
