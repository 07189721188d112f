"""Copies of views: the same elements in the same shape as the view, in memory of their own.

torch's ``unsafe_split`` gives parts that share the tensor's memory and nobody knows of: here they are copies as well,
which may be written to, and the tensor keeps its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.drivers.out_argument import into
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.memory_format import contiguous_format
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
copy, method = partial(TABLE.composite, out=True), partial(TABLE.composite, method=True)


def dense(view: Tensor) -> Tensor:
    """A copy without gaps."""
    return view.clone(memory_format=contiguous_format)


@copy
def alias_copy(input: Tensor) -> Tensor:
    return dense(input)


@copy
def detach_copy(input: Tensor) -> Tensor:
    return dense(input.detach())


@copy
def as_strided_copy(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    return dense(input.as_strided(size, stride, storage_offset))


@copy
def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return dense(input.diagonal(offset, dim1, dim2))


@copy
def expand_copy(input: Tensor, size: Sequence[int], *, implicit: bool = False) -> Tensor:
    return dense(input.expand(size))


@copy
def permute_copy(input: Tensor, dims: Sequence[int]) -> Tensor:
    return dense(input.permute(dims))


@copy
def select_copy(input: Tensor, dim: int, index: int) -> Tensor:
    return dense(input.select(dim, index))


@copy
def slice_copy(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    return dense(ops["slice"](input, dim, start, end, step))


@copy
def squeeze_copy(input: Tensor, dim: int | Sequence[int] = UNSAID) -> Tensor:
    return dense(input.squeeze() if dim is UNSAID else input.squeeze(dim))


@copy
def t_copy(input: Tensor) -> Tensor:
    return dense(input.t())


@copy
def transpose_copy(input: Tensor, dim0: int, dim1: int) -> Tensor:
    return dense(input.transpose(dim0, dim1))


@copy
def unfold_copy(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    return dense(input.unfold(dimension, size, step))


@copy
def unsqueeze_copy(input: Tensor, dim: int) -> Tensor:
    return dense(input.unsqueeze(dim))


@copy
def view_copy(input: Tensor, size: Any = UNSAID, *, dtype: Any = UNSAID) -> Tensor:
    wanted = size if dtype is UNSAID else dtype
    if isinstance(wanted, (int, list, tuple)):
        return ops["_unsafe_view"](dense(input), wanted)
    return dense(input.view(wanted))


@copy
def view_as_complex_copy(input: Tensor) -> Tensor:
    return dense(ops["view_as_complex"](input))


@copy
def view_as_real_copy(input: Tensor) -> Tensor:
    return dense(ops["view_as_real"](input))


@partial(TABLE.composite, out=True, method=True)
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    return dense(input.narrow(dim, start, length))


# ---- several at once
def parts(name: str, views: Sequence[Tensor], out: Sequence[Tensor] | None) -> tuple[Tensor, ...] | None:
    """Copies of the views; with out: they are written there, and the call returns None, as in torch."""
    if out is None:
        return tuple(map(dense, views))
    if len(out) != len(views):
        raise RuntimeError(f"{name}() expected an out= argument of size {len(views)}, got size {len(out)}")
    for view, given in zip(views, out, strict=True):
        into(name, view, given)
    return None


@TABLE.composite
def split_copy(
    input: Tensor, split_size: Any, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...] | None:
    return parts("split_copy", input.split(split_size, dim), out)


@TABLE.composite
def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...] | None:
    return parts("split_with_sizes_copy", input.split_with_sizes(split_sizes, dim), out)


@TABLE.composite
def unbind_copy(input: Tensor, dim: int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...] | None:
    return parts("unbind_copy", input.unbind(dim), out)


@method
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(map(dense, input.split(split_size, dim)))


@method
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(map(dense, input.split_with_sizes(split_sizes, dim)))


@method
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(map(dense, input.chunk(chunks, dim)))
