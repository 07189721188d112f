"""The kernels of the compressed layouts by the names of the operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import (
    from_parts,
    is_coo,
    make_compressed,
    parts_of_compressed,
    replace_parts,
)
from wengert_sparse.compressed import joins, products, structure, sums
from wengert_sparse.compressed.convert import convert_layout, to_coo
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.compressed.kinds import is_compressed, transpose_matrices
from wengert_sparse.coo import kernels as coo
from wengert_sparse.coo.pointwise import different_sizes, is_number
from wengert_sparse.coo.reduce import reduced_dims
from wengert_sparse.layouts import BLOCKS, ROWS
from wengert_sparse.loops.merge_rows import add_rows
from wengert_sparse.messages import size_text
from wengert_sparse.parts import CompressedParts
from wengert_sparse.unary import UNARY


def with_values(self: Tensor, values: Tensor) -> Tensor:
    """A tensor with the indices of another."""
    parts = parts_of_compressed(self)
    return make_compressed(self.layout, parts.compressed, parts.plain, values, self.shape)


def empty(kind: Any, size: Sequence[int], dtype: Any, device: Any, like: Any = None) -> Tensor:
    """A tensor in which no element is specified. RuntimeError for fewer than 2 dims."""
    size = tuple(size)
    if len(size) < 2:
        raise RuntimeError(
            "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size "
            f"{size_text(size)}"
        )
    block: tuple[int, ...] = ()
    batch = size[:-2]
    if like is not None and is_compressed(like) and tuple(like.shape) == size:
        geometry = geometry_of(like)
        batch, block = geometry.batch, geometry.block or ()
    elif kind in BLOCKS:
        block = (1, 1)
    matrix, dense = size[len(batch) : len(batch) + 2], size[len(batch) + 2 :]
    lines = matrix[0] // (block[0] if block else 1) if kind in ROWS else matrix[1] // (block[1] if block else 1)
    values = wc.empty((*batch, 0, *block, *dense), dtype=dtype, device=device)
    compressed = wc.zeros((*batch, lines + 1), dtype=wc.int64, device=values.device)
    plain = wc.empty((*batch, 0), dtype=wc.int64, device=values.device)
    return make_compressed(kind, compressed, plain, values, size)


def unary(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The kernel of a function of one tensor that maps zero to zero."""
    return lambda self, *rest: with_values(self, function(parts_of_compressed(self).values, *rest))


def through_coo(name: str) -> Callable[..., Any]:
    """The kernel of an operation that is computed in layout ``sparse_coo``; the result has the layout of the first
    tensor.
    """
    kernel = coo.KERNELS[name]

    def compute(*arguments: Any) -> Any:
        every = [each for value in arguments for each in (value if isinstance(value, (list, tuple)) else (value,))]
        first = next(each for each in every if is_compressed(each))
        found = kernel(*[in_coo(value) for value in arguments])
        if not is_coo(found):
            return found
        return convert_layout(found, first.layout, geometry_of(first).block, None)

    return compute


def in_coo(value: Any) -> Any:
    """An argument with its compressed tensors in layout ``sparse_coo``."""
    if isinstance(value, (list, tuple)):
        return [in_coo(each) for each in value]
    return to_coo(value) if is_compressed(value) else value


def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    """self + alpha * other."""
    if is_compressed(self) and is_compressed(other):
        if same_pattern(self, other):
            return with_values(
                self, wc.add(parts_of_compressed(self).values, parts_of_compressed(other).values, alpha=alpha)
            )
        merged = add_merged(self, other, alpha)
        return through_coo("add")(self, other, alpha) if merged is None else merged
    if is_compressed(self):
        if isinstance(other, Tensor) and is_strided(other) and other.dim():
            return coo.KERNELS["add"](other * alpha, to_coo(self), 1)
        if is_number(other):
            raise different_sizes((), self.shape)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return coo.KERNELS["add"](self, to_coo(other), alpha)


def add_merged(self: Tensor, other: Tensor, alpha: Any) -> Tensor | None:
    """The sum of two matrices of one layout without blocks, of most dtypes on the CPU; None for others."""
    if self.layout is not other.layout or self.layout in BLOCKS or self.shape != other.shape:
        return None
    if type(alpha) not in (int, float):
        return None
    found = add_rows(*parts_of_compressed(self), *parts_of_compressed(other), alpha)
    return None if found is None else make_compressed(self.layout, *found, self.shape)


def sub(self: Any, other: Any, alpha: Any = 1) -> Any:
    """self - alpha * other."""
    return add(self, other, -alpha)


def add_(self: Tensor, other: Any, alpha: Any = 1) -> Any:
    """self += alpha * other, with a strided ``self`` in its own memory."""
    if is_strided(self) and is_compressed(other):
        return coo.KERNELS["add_"](self, to_coo(other), alpha)
    return replace_components(self, add(self, other, alpha))


def sub_(self: Tensor, other: Any, alpha: Any = 1) -> Any:
    """self -= alpha * other."""
    return add_(self, other, -alpha)


def replace_components(self: Tensor, result: Any) -> Any:
    """Let a compressed tensor have the components of a result."""
    if result.layout is not self.layout or result.dtype is not self.dtype:
        raise RuntimeError(
            f"the result has the layout {result.layout!r} and the dtype {result.dtype}, the tensor that is written to "
            f"{self.layout!r} and {self.dtype}"
        )
    replace_parts(self, parts_of_compressed(result))
    return self


def same_pattern(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors of one layout have elements at the same places."""
    first, second = parts_of_compressed(a), parts_of_compressed(b)
    if a.layout is not b.layout or a.shape != b.shape or first.values.shape != second.values.shape:
        return False
    return all(x is y or bool((x == y).all().item()) for x, y in zip(first[:2], second[:2], strict=False))


def mul(self: Any, other: Any) -> Any:
    """self * other."""
    if is_compressed(other) and not is_compressed(self):
        self, other = other, self
    if is_number(other):
        return with_values(self, parts_of_compressed(self).values * other)
    if is_compressed(other) and same_pattern(self, other):
        return with_values(self, parts_of_compressed(self).values * parts_of_compressed(other).values)
    return through_coo("mul")(self, other)


def mul_(self: Tensor, other: Any) -> Any:
    """self *= other."""
    return replace_components(self, mul(self, other))


def div(self: Any, other: Any, rounding_mode: str | None = None) -> Any:
    """self / other, a number or a tensor with elements at the same places."""
    if is_compressed(self) and is_compressed(other) and same_pattern(self, other):
        other = parts_of_compressed(other).values
    elif not is_number(other) or not is_compressed(self):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor")
    return with_values(self, wc.div(parts_of_compressed(self).values, other, rounding_mode=rounding_mode))


def div_(self: Tensor, other: Any, rounding_mode: str | None = None) -> Any:
    """self /= other."""
    return replace_components(self, div(self, other, rounding_mode))


def copy_parts(self: Tensor) -> CompressedParts:
    """Copies of the components."""
    return CompressedParts._make(each.clone() for each in parts_of_compressed(self))


def clone(self: Tensor, memory_format: Any = None) -> Tensor:
    """A copy of the components."""
    return from_parts(self.layout, copy_parts(self), self.shape)


def to_copy(self: Tensor, dtype: Any, device: Any = None) -> Tensor:
    """Values of another dtype, or components on another device."""
    parts = parts_of_compressed(self)
    options = {} if device is None else {"device": device}
    compressed, plain = (each.to(**options) if options else each for each in parts[:2])
    return make_compressed(self.layout, compressed, plain, parts.values.to(dtype=dtype, **options), self.shape)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Any:
    """Take over the elements of another tensor of the layout, as many as this one has; the dtypes stay.

    In the memory of the values where both have elements at the same places.
    """
    check_copy(self, src)
    parts, source = parts_of_compressed(self), parts_of_compressed(src)
    if same_pattern(self, src):
        parts.values.copy_(source.values)
        return self
    compressed, plain = (each.to(parts.plain.dtype, copy=True) for each in source[:2])
    replace_parts(self, CompressedParts(compressed, plain, source.values.to(self.dtype, copy=True)))
    return self


def check_copy(self: Tensor, src: Any) -> None:
    """RuntimeError for tensors of different layouts, sizes, blocks, or numbers of elements."""
    if not (is_compressed(self) and is_compressed(src)) or self.layout is not src.layout:
        if not is_compressed(self):
            raise RuntimeError(
                f"copy_sparse_compressed_ expected sparse compressed tensor layout but got {self.layout._words}: copy_ "
                f"cannot write a tensor of layout {src.layout!r} to one of layout {self.layout!r}"
            )
        words = src.layout._words if isinstance(src, Tensor) else "Strided"
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is "
            f"{self.layout._words} and src layout is {words}"
        )
    counts = [parts_of_compressed(each).plain.shape[-1] for each in (self, src)]
    if counts[0] != counts[1]:
        raise RuntimeError(
            "torch.copy_: only sparse compressed tensors with the same number of specified elements are supported. "
            f"self has {counts[0]}, src has {counts[1]}"
        )
    blocks = [geometry_of(each).block for each in (self, src)]
    if self.shape == src.shape and blocks[0] != blocks[1]:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different block sizes is not supported. self and "
            f"src block sizes are {size_text(blocks[0] or ())} and {size_text(blocks[1] or ())}, respectively."
        )
    if self.shape != src.shape:
        raise RuntimeError(
            f"torch.copy_: expected shapes of self and src to match for {self.layout._words} layout, but they are "
            f"{size_text(self.shape)} and {size_text(src.shape)}"
        )


def zero_(self: Tensor) -> Any:
    """Forget all elements."""
    parts, n_batch = parts_of_compressed(self), len(geometry_of(self).batch)
    plain, values = (each.narrow(n_batch, 0, 0) for each in (parts.plain, parts.values))
    replace_parts(self, CompressedParts(wc.zeros_like(parts.compressed), plain, values))
    return self


def fill_(self: Tensor, value: Any) -> Any:
    """Set all values that are specified."""
    parts_of_compressed(self).values.fill_(value)
    return self


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap rows and columns: the same components in the other layout."""
    rank, n_batch = self.dim(), len(geometry_of(self).batch)
    dim0, dim1 = dim0 % rank, dim1 % rank
    if dim0 == dim1:
        return with_values(self, parts_of_compressed(self).values)
    if {dim0, dim1} != {n_batch, n_batch + 1}:
        raise RuntimeError(
            f"transpose: a compressed tensor can have its rows and columns transposed, got the dims {dim0} and {dim1} "
            f"of a tensor with {n_batch} batch dims"
        )
    return transpose_matrices(self)


def t(self: Tensor) -> Tensor:
    """The transpose of a matrix."""
    return transpose(self, 0, 1)


def sum(self: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The sum over all dims, strided unless they are kept; over some, in layout ``sparse_coo`` unless they are kept."""
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else wc.int64)
    dims = reduced_dims(dim, self.dim())
    if keepdim:
        return sums.sum_keeping_dims(self, dims, kind)
    if len(dims) == self.dim():
        found: Tensor = parts_of_compressed(self).values.sum(dtype=kind)
        return found
    over_some: Tensor = coo.KERNELS["sum"](to_coo(self), dim, keepdim, dtype)
    return over_some


def bmm(self: Tensor, mat2: Tensor) -> Any:
    """Products of the matrices of two batches."""
    from wengert_sparse.compressed.functions import bmm as function

    return function(self, mat2)


def power(self: Tensor, exponent: Any) -> Any:
    """self ** exponent, a number that is not 0."""
    if not is_compressed(self) or isinstance(exponent, Tensor):
        return NotImplemented
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    return with_values(self, parts_of_compressed(self).values ** exponent)


def view_as_real(self: Tensor) -> Tensor:
    """Real and imaginary parts along a new dense dim."""
    parts = parts_of_compressed(self)
    return make_compressed(self.layout, parts.compressed, parts.plain, wc.view_as_real(parts.values), (*self.shape, 2))


def view_as_complex(self: Tensor) -> Tensor:
    """Complex numbers of the pairs along the last dense dim."""
    parts = parts_of_compressed(self)
    return make_compressed(
        self.layout, parts.compressed, parts.plain, wc.view_as_complex(parts.values), self.shape[:-1]
    )


def any_element(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether an element is not zero."""
    return NotImplemented if dim is not None else parts_of_compressed(self).values.any()


KERNELS: dict[str, Any] = {name: unary(function) for name, function in UNARY.items()}
KERNELS |= {
    "view_as_real": view_as_real, "view_as_complex": view_as_complex, "any": any_element,
    "clone": clone, "_to_copy": to_copy, "copy_": copy_, "zero_": zero_, "fill_": fill_,
    "add": add, "add_": add_, "sub": sub, "sub_": sub_, "mul": mul, "mul_": mul_, "div": div, "div_": div_,
    "pow": power, "threshold_backward": through_coo("threshold_backward"), "transpose": transpose, "t": t, "sum": sum,
    "mm": products.mm, "addmm": products.addmm, "mv": products.mv, "bmm": bmm,
    "select": structure.select_kernel, "slice": structure.slice_, "index_select": structure.index_select,
    "_reshape_alias": structure.reshape, "view": structure.view,
    "cat": joins.cat, "stack": joins.stack,
}  # fmt: skip
