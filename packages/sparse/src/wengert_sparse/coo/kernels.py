"""The kernels of layout ``sparse_coo`` by the names of the operations."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo, replace_parts
from wengert_sparse.coo import pointwise, products, reduce, shape
from wengert_sparse.coo.convert import with_sparse_dim
from wengert_sparse.coo.pointwise import coalesced_unary, linear_unary, replace_by
from wengert_sparse.parts import Coo
from wengert_sparse.unary import KEEP_DUPLICATES, UNARY


def clone(self: Tensor, memory_format: Any = None) -> Tensor:
    """A copy of the components; a memory format has no meaning here."""
    parts = coo_of(self)
    return make_coo(parts.indices.clone(), parts.values.clone(), self.shape, parts.coalesced)


def view_as_real(self: Tensor) -> Tensor:
    """Real and imaginary parts along a new dense dim."""
    parts = coo_of(self)
    return make_coo(parts.indices, wc.view_as_real(parts.values), (*self.shape, 2), parts.coalesced)


def view_as_complex(self: Tensor) -> Tensor:
    """Complex numbers of the pairs along the last dense dim."""
    parts = coo_of(self)
    parts = with_sparse_dim(parts, self.shape, min(parts.indices.shape[0], self.dim() - 1))
    return make_coo(parts.indices, wc.view_as_complex(parts.values), self.shape[:-1], parts.coalesced)


def view(self: Tensor, size: Any) -> Any:
    """The elements in another shape, on the same components where it is the same."""
    return NotImplemented if isinstance(size, wc.dtype) else self.reshape(size)


def to_copy(self: Tensor, dtype: Any, device: Any = None) -> Tensor:
    """Values of another dtype, or components on another device."""
    parts = coo_of(self)
    options = {} if device is None else {"device": device}
    return make_coo(
        parts.indices.to(**options) if options else parts.indices,
        parts.values.to(dtype=dtype, **options),
        self.shape,
        parts.coalesced,
    )


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Any:
    """Take over the elements of another sparse tensor."""
    if not (is_coo(self) and is_coo(src)):

        def kind(tensor: Tensor) -> str:
            return f"torch.{'' if is_strided(tensor) else 'sparse.'}{tensor.type().removeprefix('torch.')}"

        raise RuntimeError(
            f"copy_() between dense and sparse Tensors is not implemented! Found self type = {kind(self)} and src "
            f"type = {kind(src) if isinstance(src, Tensor) else type(src).__name__}"
        )
    if self.shape != src.shape:
        raise RuntimeError(f"copy_: expected a sparse tensor of size {list(self.shape)}, got {list(src.shape)}")
    parts = coo_of(src)
    replace_by(
        self,
        make_coo(parts.indices.clone(), parts.values.to(self.dtype, copy=True), self.shape, parts.coalesced),
        "copy_",
    )
    return self


def zero_(self: Tensor) -> Any:
    """Forget all elements."""
    parts = coo_of(self)
    replace_parts(self, Coo(parts.indices[:, :0], parts.values[:0], True))
    return self


KERNELS: dict[str, Any] = {
    name: (linear_unary if name in KEEP_DUPLICATES else coalesced_unary)(function) for name, function in UNARY.items()
}
KERNELS |= {
    "clone": clone, "_to_copy": to_copy, "copy_": copy_, "zero_": zero_,
    "add": pointwise.add, "add_": pointwise.add_, "sub": pointwise.sub, "sub_": pointwise.sub_,
    "mul": pointwise.mul, "mul_": pointwise.mul_, "div": pointwise.div, "div_": pointwise.div_,
    "floor_divide": pointwise.floor_divide, "pow": pointwise.pow, "threshold_backward": pointwise.threshold_backward,
    "transpose": shape.transpose, "permute": shape.permute, "t": shape.t, "unsqueeze": shape.unsqueeze,
    "squeeze": shape.squeeze,
    "view": view,
    "view_as_real": view_as_real, "view_as_complex": view_as_complex,
    "_reshape_alias": lambda self, size, *stride: shape.reshape(self, size),
    "select": shape.select, "slice": shape.slice_, "index_select": shape.index_select,
    "select_backward": shape.select_backward, "slice_backward": shape.slice_backward,
    "index_add": shape.index_add, "cat": shape.cat, "stack": shape.stack,
    "sum": reduce.sum, "any": reduce.any,
    "mm": products.mm, "addmm": products.addmm, "mv": products.mv, "bmm": products.bmm,
}  # fmt: skip
