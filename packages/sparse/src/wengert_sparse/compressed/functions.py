"""Operations on compressed tensors that are made of others, which record themselves, and those that PyTorch refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import is_coo, parts_of_compressed
from wengert_sparse.compressed import joins, structure, sums
from wengert_sparse.compressed.entries import Entries
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.compressed.kinds import is_compressed
from wengert_sparse.coo.reduce import reduced_dims
from wengert_sparse.layouts import COMPRESSED
from wengert_sparse.messages import size_text
from wengert_sparse.ops.compressed import mm_row, select_row
from wengert_sparse.ops.compressed import row as compressed_row
from wengert_sparse.ops.convert import to_sparse
from wengert_sparse.ops.members import values as values_of
from wengert_sparse.ops.products import mm as sparse_mm
from wengert_sparse.table import TABLE


def is_sparse(value: Any) -> bool:
    """Whether something is a sparse tensor of any layout."""
    return isinstance(value, Tensor) and not is_strided(value)


# ---- parts


def select(self: Tensor, dim: int, index: int) -> Any:
    """The slice at one index of a dim."""
    return select_row(self, dim, index) if is_compressed(self) else NotImplemented


def unbind(self: Tensor, dim: int = 0) -> Any:
    """The slices of a dim."""
    if not is_compressed(self):
        return NotImplemented
    return tuple(select_row(self, dim, index) for index in range(self.shape[dim]))


# ---- arithmetic


def of_one_layout(name: str) -> Callable[..., Any]:
    """An operation on two sparse tensors of which the second one is converted to the layout of the first, so that each
    gets a gradient of its own layout; a sum of a strided and a compressed one is that of strided ones.
    """

    def apply(self: Any, other: Any, *rest: Any) -> Any:
        if name in SUMS and is_compressed(other) and isinstance(self, Tensor) and is_strided(self):
            return ARITHMETIC[name](self, other.to_dense(), *rest) if self.shape == other.shape else NotImplemented
        if name in ("add", "sub") and is_compressed(self) and isinstance(other, Tensor) and is_strided(other):
            return ARITHMETIC[name](self.to_dense(), other, *rest) if self.shape == other.shape else NotImplemented
        if not (is_compressed(self) and is_sparse(other)) or self.shape != other.shape:
            return NotImplemented
        converted = structure.in_layout_of(other, self)
        return NotImplemented if converted is other else ARITHMETIC[name](self, converted, *rest)

    return apply


def mul(self: Any, other: Any) -> Any:
    """self * other, of two sparse tensors in the layout of the first compressed one."""
    if is_coo(self) and is_compressed(other) and self.shape == other.shape:
        return wc.mul(structure.in_layout_of(self, other), other)
    return of_one_layout("mul")(self, other)


SUMS = ("add", "sub", "add_", "sub_")
ARITHMETIC: dict[str, Callable[..., Tensor]] = {
    "add": lambda self, other, alpha=1: wc.add(self, other, alpha=alpha),
    "sub": lambda self, other, alpha=1: wc.sub(self, other, alpha=alpha),
    "mul": wc.mul,
    "add_": lambda self, other, alpha=1: self.add_(other, alpha=alpha),
    "sub_": lambda self, other, alpha=1: self.sub_(other, alpha=alpha),
    "mul_": lambda self, other: self.mul_(other),
}


def angle(self: Tensor) -> Any:
    """The angle of each element in the complex plane."""
    return structure.map_values(self, wc.angle, self.shape) if is_compressed(self) else NotImplemented


# ---- products


def mm(self: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices; the gradient of each sparse one has its layout."""
    if is_sparse(self) and is_sparse(mat2):
        return mm_row(self, mat2) if is_compressed(self) else NotImplemented
    return sparse_mm(self, mat2) if is_compressed(self) or is_compressed(mat2) else NotImplemented


def mv(self: Tensor, vec: Tensor) -> Any:
    """The product of a compressed matrix and a strided vector."""
    if not is_compressed(self) or not is_strided(vec) or vec.dim() != 1 or self.dim() != 2:
        return NotImplemented
    if self.shape[1] != vec.shape[0] or self.dtype is not vec.dtype:
        return NotImplemented  # the kernel says why
    return sparse_mm(self, vec.unsqueeze(1)).squeeze(1)


def addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * mat @ vec, of strided vectors."""
    if not is_compressed(mat) or not is_strided(self) or self.dtype is not mat.dtype or mat.dim() != 2:
        return NotImplemented
    product = wc.mv(mat, vec)
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else wc.add(self if beta == 1 else self * beta, product)


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * mat1 @ mat2."""
    if self.dtype is not mat1.dtype or mat1.dim() != 2 or mat2.dim() != 2:
        return NotImplemented
    if is_strided(self) and (is_compressed(mat1) or is_compressed(mat2)):
        product = wc.mm(mat1, mat2)
    elif is_compressed(self) and is_compressed(mat1) and is_sparse(mat2):
        product = mm_row(mat1, mat2)
    else:
        return NotImplemented
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product if is_strided(self) else structure.in_layout_of(product, self)
    return wc.add(self if beta == 1 else self * beta, product)


def bmm(self: Tensor, mat2: Tensor) -> Any:
    """Products of the matrices of two batches: as one of matrices with the batches on the diagonal."""
    if not (is_compressed(self) or is_compressed(mat2)) or is_coo(self) or is_coo(mat2):
        return NotImplemented
    if self.dim() != 3 or mat2.dim() != 3 or self.shape[0] != mat2.shape[0] or self.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            f"bmm: Expected batches of matrices that have a product, got {size_text(self.shape)} and "
            f"{size_text(mat2.shape)}"
        )
    for each in (self, mat2):
        if is_compressed(each) and len(geometry_of(each).batch) != 1:
            raise RuntimeError(
                f"bmm: Expected batches of matrices, got a tensor of size {size_text(each.shape)} of layout "
                f"{each.layout!r} with {len(geometry_of(each).batch)} batch dims"
            )
    if is_strided(self):
        return bmm(mat2.transpose(1, 2), self.transpose(1, 2)).transpose(1, 2)
    batches, rows, inner = self.shape
    if is_strided(mat2):
        product = sparse_mm(on_diagonal(self), mat2.reshape(batches * inner, mat2.shape[2]))
        return product.reshape(batches, rows, mat2.shape[2])
    return from_diagonal(wc.mm(on_diagonal(self), on_diagonal(mat2)), (batches, rows, mat2.shape[2]))


def on_diagonal(self: Tensor) -> Tensor:
    """A batch of matrices as one matrix with them on its diagonal. Differentiable."""
    parts, geometry = parts_of_compressed(self), geometry_of(self)
    count, lines, batches = parts.plain.shape[-1], parts.compressed.shape[-1] - 1, geometry.batches
    others = geometry.blocks[0] + geometry.blocks[1] - lines
    number = wc.arange(batches, device=self.device).unsqueeze(1)
    begins = parts.compressed[:, :-1] + number * count
    compressed = wc.cat([begins.reshape(-1), begins.new_full((1,), batches * count)])
    plain = (parts.plain + number * others).reshape(-1)
    values = values_of(self)
    size = (batches * geometry.rows, batches * geometry.columns)
    found: Tensor = compressed_row(
        compressed, plain, values.reshape(batches * count, *values.shape[2:]), size, self.layout
    )
    return found


def from_diagonal(matrix: Tensor, size: tuple[int, int, int]) -> Tensor:
    """The batch, of a size, of the matrices on the diagonal of a matrix. Differentiable."""
    _, row, column, values, geometry = structure.recorded_entries(matrix)
    geometry = geometry._replace(batch=size[:1], rows=size[1], columns=size[2])
    rows, columns = geometry.blocks
    batch = row // max(rows, 1)
    return structure.build(Entries(batch, row - batch * rows, column - batch * columns, values, geometry), matrix)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """input @ weight.T + bias, with a sparse weight."""
    if not is_sparse(weight) or not is_strided(input):
        return NotImplemented
    if input.dim() == 1:
        found = wc.mv(weight, input)
    else:
        found = wc.mm(input.reshape(-1, input.shape[-1]), weight.t())
        found = found.reshape(*input.shape[:-1], weight.shape[0])
    return found if bias is None else found + bias


# ---- sums and norms


def sum(self: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The sum over some dims, or over all: its gradient is at the indices of the tensor."""
    if not is_compressed(self) or not (self.is_floating_point() or self.is_complex()):
        return NotImplemented
    dims = reduced_dims(dim, self.dim())
    if keepdim:
        return sums.sum_keeping_dims(self, dims, dtype or self.dtype)
    if len(dims) == self.dim():
        return values_of(self).sum(dtype=dtype)
    return TABLE.ops["_sparse_sum"](to_sparse(self), tuple(dims), dtype)


def vector_norm(self: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """A norm of all elements that those which are zero do not change: that of the values."""
    if not is_compressed(self) or keepdim or ord <= 0 or len(reduced_dims(dim, self.dim())) != self.dim():
        return NotImplemented
    values = values_of(self)
    if values.numel() == 0:
        values = values.new_zeros(1)
    return wc.linalg_vector_norm(values.reshape(-1), ord, dtype=dtype)


# ---- factories


def like(function: Callable[..., Tensor]) -> Callable[..., Any]:
    """A factory of a tensor with the indices of another, and other values, whose arguments end with OPTIONS."""

    def make(self: Tensor, *rest: Any) -> Any:
        if not is_compressed(self):
            return NotImplemented
        *arguments, dtype, layout, device, _pinned, requires_grad, _format = rest
        if layout is not None and layout is not self.layout:
            words = getattr(layout, "_words", "Strided")
            raise RuntimeError(
                f"empty_like with different sparse layout is not supported (self is {self.layout._words} but you "
                f"requested {words})"
            )
        parts = parts_of_compressed(self)
        values = function(parts.values, *arguments, dtype=dtype, device=device)
        compressed, plain = (each.to(values.device) for each in parts[:2])
        found = compressed_row(compressed, plain, values, tuple(self.shape), self.layout)
        return found.requires_grad_() if requires_grad else found

    return make


# ---- refusals


def refuse(*arguments: Any) -> Any:
    """PyTorch's error for a function that sparse tensors do not have: of most of these zeros are not zero."""
    every = [each for each in arguments if isinstance(each, Tensor) and each.layout in COMPRESSED]
    if not every:
        return NotImplemented
    raise RuntimeError(
        f"unsupported tensor layout: {every[0].layout._words}: this operation computes on all elements, those that are "
        "not specified too. Use .to_dense() where the strided tensor fits into memory, or compute on .values()"
    )


REFUSED = """
    eq ne lt le gt ge maximum minimum fmax fmin isfinite clamp lerp fmod remainder bitwise_and bitwise_or bitwise_xor
    exp exp2 log log2 log10 rsqrt reciprocal cos cosh acos acosh sinc sigmoid lgamma digamma erfc i0 atan2 hypot xlogy
    logaddexp copysign nextafter heaviside elu leaky_relu gelu silu softplus mish
""".split()
FUNCTIONS: dict[str, Callable[..., Any]] = dict.fromkeys(REFUSED, refuse)
FUNCTIONS |= {
    "select": select, "unbind": unbind, "slice": structure.slice_, "index_select": structure.index_select,
    "_reshape_alias": structure.reshape, "_unsafe_view": structure.reshape, "view": structure.view,
    "cat": joins.cat, "stack": joins.stack, "sum": sum, "linalg_vector_norm": vector_norm,
    "_norm": vector_norm, "mul": mul, "mm": mm, "mv": mv, "addmv": addmv,
    **{name: of_one_layout(name) for name in ("add", "sub", "add_", "sub_", "mul_")},
    "addmm": addmm, "bmm": bmm, "linear": linear, "ones_like": like(wc.ones_like), "full_like": like(wc.full_like),
    "randn_like": like(lambda values, generator, **options: wc.randn_like(values, generator=generator, **options)),
    "angle": angle,
}  # fmt: skip
