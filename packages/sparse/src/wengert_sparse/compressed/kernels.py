"""The kernels of the compressed layouts by the names of the operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, components_of, is_strided

from wengert_sparse.components import (
    CompressedParts,
    from_parts,
    is_coo,
    make_compressed,
    parts_of_compressed,
    replace_parts,
)
from wengert_sparse.compressed.convert import convert_layout, to_coo
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.coo import kernels as coo
from wengert_sparse.coo.pointwise import is_number
from wengert_sparse.coo.products import FEW, check_product, compressed_times_dense_row
from wengert_sparse.coo.reduce import reduced_dims
from wengert_sparse.layouts import BLOCKS, ROWS, SPARSE_BSC, SPARSE_BSR, SPARSE_CSC, SPARSE_CSR
from wengert_sparse.messages import size_text
from wengert_sparse.unary import UNARY

TRANSPOSED = {SPARSE_CSR: SPARSE_CSC, SPARSE_CSC: SPARSE_CSR, SPARSE_BSR: SPARSE_BSC, SPARSE_BSC: SPARSE_BSR}


def is_compressed(value: Any) -> bool:
    """Whether something is a tensor of a compressed layout."""
    return isinstance(value, Tensor) and not is_strided(value) and type(components_of(value)) is CompressedParts


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
        return convert_layout(found, first.layout, block_of_result(name, every), None)

    return compute


def block_of_result(name: str, tensors: Sequence[Any]) -> tuple[int, int] | None:
    """The block size of a result: that of the first tensor; of a product the height of the first, the width of the
    second.
    """
    blocks = [geometry_of(tensor).block for tensor in tensors if is_compressed(tensor)]
    if name in ("mm", "bmm") and len(blocks) == 2 and blocks[0] and blocks[1]:
        return blocks[0][0], blocks[1][1]
    return blocks[0]


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
        return through_coo("add")(self, other, alpha)
    if is_compressed(self):
        if isinstance(other, Tensor) and is_strided(other) and other.dim():
            return coo.KERNELS["add"](other * alpha, to_coo(self), 1)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return coo.KERNELS["add"](self, to_coo(other), alpha)


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
    """Take over the elements of another tensor of the layout."""
    if not (is_compressed(self) and is_compressed(src)) or self.layout is not src.layout:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is "
            f"{self.layout!r} and src layout is {src.layout!r}"
        )
    if self.shape != src.shape:
        raise RuntimeError(f"copy_: expected a tensor of size {size_text(self.shape)}, got {size_text(src.shape)}")
    return replace_components(self, to_copy(clone(src), self.dtype))


def zero_(self: Tensor) -> Any:
    """Set all values to zero, which stay specified."""
    parts_of_compressed(self).values.zero_()
    return self


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap rows and columns: the same components in the other layout."""
    rank, geometry, parts = self.dim(), geometry_of(self), parts_of_compressed(self)
    dim0, dim1 = dim0 % rank, dim1 % rank
    n_batch = len(geometry.batch)
    if dim0 == dim1:
        return with_values(self, parts.values)
    if {dim0, dim1} != {n_batch, n_batch + 1}:
        raise RuntimeError(
            f"transpose: a compressed tensor can have its rows and columns transposed, got the dims {dim0} and {dim1} "
            f"of a tensor with {n_batch} batch dims"
        )
    shape = list(self.shape)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    values = parts.values.transpose(n_batch + 1, n_batch + 2) if geometry.block else parts.values
    return make_compressed(TRANSPOSED[self.layout], parts.compressed, parts.plain, values, shape)


def t(self: Tensor) -> Tensor:
    """The transpose of a matrix."""
    return transpose(self, 0, 1)


def mm(self: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices: of one of layout ``sparse_csr`` and a strided one by SciPy, else in layout
    ``sparse_coo``.
    """
    if is_compressed(self) and self.layout is SPARSE_CSR and is_strided(mat2) and self.dim() == 2:
        if mat2.dim() != 2 or self.shape[1] != mat2.shape[0]:
            sizes = ["x".join(str(n) for n in tensor.shape) for tensor in (self, mat2)]
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({sizes[0]} and {sizes[1]}) (see "
                "docs/errors/shape-mismatch)"
            )
        check_product("addmm", self, mat2)
        parts = parts_of_compressed(self)
        if len(parts.values) * mat2.shape[1] > FEW:
            return compressed_times_dense_row(*parts, mat2)
    return through_coo("mm")(self, mat2)


def sum(self: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The sum over all dims, or over some in layout ``sparse_coo``."""
    if len(reduced_dims(dim, self.dim())) == self.dim():
        kind = dtype or (wc.int64 if not (self.is_floating_point() or self.is_complex()) else self.dtype)
        found: Tensor = parts_of_compressed(self).values.sum(dtype=kind)
        return found.reshape([1] * self.dim()) if keepdim else found
    if not keepdim:
        found = coo.KERNELS["sum"](to_coo(self), dim, False, dtype)
    else:
        found = sum_keeping_dims(self, dim, dtype)
    return found


def sum_keeping_dims(self: Tensor, dim: Any, dtype: Any) -> Tensor:
    """The sum over some dims, which are kept, in the layout of the tensor."""
    parts, others, values, shape = sum_dense_dims(self, parts_of_compressed(self).values, dim, dtype)
    whole = make_compressed(self.layout, parts.compressed, parts.plain, values, shape)
    if not others:
        return whole
    found = coo.KERNELS["sum"](to_coo(whole), others, True, dtype)
    return convert_layout(found, self.layout, block_of_sum(self, others), len(geometry_of(self).dense))


def sum_dense_dims(
    self: Tensor, values: Tensor, dim: Any, dtype: Any
) -> tuple[CompressedParts, list[int], Tensor, list[int]]:
    """The first step of a sum that keeps its dims: the components, the dims that are left to sum, the values summed
    over the dense dims, and the size that the tensor then has.
    """
    dims, rank = reduced_dims(dim, self.dim()), self.dim()
    first = rank - len(geometry_of(self).dense)
    dense = [d for d in dims if d >= first]
    if dense:
        values = values.sum([d - rank for d in dense], keepdim=True, dtype=dtype)
    shape = [1 if d in dense else size for d, size in enumerate(self.shape)]
    return parts_of_compressed(self), [d for d in dims if d < first], values, shape


def block_of_sum(self: Tensor, dim: Any) -> tuple[int, int] | None:
    """The block size of a sum that keeps its dims: 1 along a dim that is summed."""
    geometry, dims = geometry_of(self), reduced_dims(dim, self.dim())
    if geometry.block is None:
        return None
    row = len(geometry.batch)
    height, width = (1 if row + place in dims else size for place, size in enumerate(geometry.block))
    return height, width


def select(self: Tensor, dim: int, index: int) -> Tensor:
    """A matrix of a batch in the same layout; a row or a column in layout ``sparse_coo``."""
    rank, n_batch = self.dim(), len(geometry_of(self).batch)
    dim %= rank
    if dim < n_batch:
        parts = parts_of_compressed(self)
        shape = [*self.shape[:dim], *self.shape[dim + 1 :]]
        return from_parts(self.layout, CompressedParts._make(each.select(dim, index) for each in parts), shape)
    if dim >= n_batch + 2:
        return select_dense(self, dim, index)
    found: Tensor = coo.KERNELS["select"](to_coo(self), dim, index)
    return found


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


def select_dense(self: Tensor, dim: int, index: int) -> Tensor:
    """One index of a dense dim."""
    parts = parts_of_compressed(self)
    place = dim - self.dim() + parts.values.dim()
    shape = [*self.shape[:dim], *self.shape[dim + 1 :]]
    return make_compressed(
        self.layout, parts.compressed, parts.plain, parts.values.select(place, index).contiguous(), shape
    )


def view_as_complex(self: Tensor) -> Tensor:
    """Complex numbers of the pairs along the last dense dim."""
    parts = parts_of_compressed(self)
    return make_compressed(
        self.layout, parts.compressed, parts.plain, wc.view_as_complex(parts.values), self.shape[:-1]
    )


def select_backward(grad_output: Tensor, input_sizes: Sequence[int], dim: int, index: int) -> Tensor:
    """A gradient of ``select`` in a tensor of the whole size; in layout ``sparse_coo`` unless a dense dim was
    selected.
    """
    parts, geometry = parts_of_compressed(grad_output), geometry_of(grad_output)
    dim %= len(input_sizes)
    if dim < len(geometry.batch) + 2:
        found: Tensor = coo.KERNELS["select_backward"](to_coo(grad_output), input_sizes, dim, index)
        return found
    place = dim - len(input_sizes) + parts.values.dim() + 1
    sizes = [*parts.values.shape[:place], input_sizes[dim], *parts.values.shape[place:]]
    values = wc.select_backward(parts.values, sizes, place, index)
    return make_compressed(grad_output.layout, parts.compressed, parts.plain, values, input_sizes)


def any_element(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether an element is not zero."""
    return NotImplemented if dim is not None else parts_of_compressed(self).values.any()


KERNELS: dict[str, Any] = {name: unary(function) for name, function in UNARY.items()}
KERNELS |= {
    "view_as_real": view_as_real, "view_as_complex": view_as_complex, "select_backward": select_backward,
    "clone": clone, "_to_copy": to_copy, "copy_": copy_, "zero_": zero_, "add": add, "sub": sub,
    "add_": add_, "sub_": sub_, "mm": mm, "mul": mul, "mul_": mul_, "div": div, "div_": div_, "pow": power,
    "transpose": transpose, "t": t, "sum": sum, "select": select,
    "any": any_element,
}  # fmt: skip
KERNELS |= {
    name: through_coo(name) for name in ("addmm", "mv", "bmm", "threshold_backward", "index_select", "cat", "stack")
}
