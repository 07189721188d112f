"""Copies of a tensor with another one in a part of it: what a write to a view gives, as a function."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.view.view_backward import extent
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


def copy_with_strides(x: Tensor) -> Tensor:
    """A copy with the strides of x, gaps too."""
    out = x.clone()
    strides = x.stride()
    if out.stride() == strides or any(step == 0 and size > 1 for step, size in zip(strides, x.shape, strict=True)):
        return out
    gapped: Tensor = ops["empty_strided"](tuple(x.shape), strides, dtype=x.dtype, device=x.device)
    return gapped.copy_(x)


def in_part(part: Any) -> Any:
    """The stages of such a copy. part: the view, from a tensor and the arguments behind src."""

    def stages(self: Tensor, src: Tensor, *where: Any) -> Tensor:
        out = copy_with_strides(self)
        write_part(part(out, *where), src)
        return out

    return stages


def write_part(target: Tensor, src: Tensor) -> None:
    """Copy src to a part of its shape."""
    if tuple(target.shape) != tuple(src.shape):
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(target.shape)}"
        )
    target.copy_(src)


def in_array(part: Any) -> Any:
    """The same, of arrays."""

    def reference(xp: Any, x: Any, src: Any, *where: Any) -> Any:
        places = part(xp.arange(x.size).reshape(x.shape), *where)
        out = xp.array(x).reshape(-1)
        out[places] = src
        return out.reshape(x.shape)

    return reference


def numpy_slice(x: Any, dim: int, start: int | None, end: int | None, step: int) -> Any:
    """A slice along one dim."""
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]


TABLE.staged(
    "select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor",
    stages=in_part(lambda out, dim, index: out.select(dim, index)),
    reference=in_array(lambda x, dim, index: x.take(index, dim)),
    out=False,
)
TABLE.staged(
    "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
    stages=in_part(lambda out, *where: ops["slice"](out, *where)),
    reference=in_array(numpy_slice),
)
TABLE.staged(
    "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    stages=in_part(lambda out, *where: out.diagonal(*where)),
    reference=in_array(lambda x, *where: x.diagonal(*where)),
    out=False,
)


# ---- any geometry
def as_strided_scatter(self: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None) -> Tensor:
    """Write to the copy as as_strided would to the memory of self. Elements that self does not show are not copied."""
    out = copy_with_strides(self)
    shape, strides, start = tuple(self.shape), self.stride(), self.storage_offset()
    if any(step == 0 and size > 1 for step, size in zip(strides, shape, strict=True)):
        strides, start = out.stride(), 0
    offset = 0 if storage_offset is None else storage_offset - start
    if (storage_offset or 0) < 0 or (offset >= 0 and out.stride() == strides):
        write_part(out.as_strided(size, stride, max(offset, -1)), src)
        return out
    before = max(-offset, 0)  # the part begins before self; or this device has no memory with gaps for the copy
    memory = ops["empty"](extent((shape, strides, before)), dtype=out.dtype, device=out.device)
    shown = memory.as_strided(shape, strides, before)
    shown.copy_(out)
    write_part(memory.as_strided(size, stride, max(offset, 0)), src)
    return out.copy_(shown)


def array_as_strided_scatter(xp: Any, x: Any, src: Any, size: Any, stride: Any, storage_offset: int | None) -> Any:
    """The same, of an array without gaps."""
    places = xp.full(tuple(size), storage_offset or 0)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        places = places + (xp.arange(n) * step).reshape([-1 if e == d else 1 for e in range(len(size))])
    out = xp.array(x).reshape(-1)
    out[places] = src
    return out.reshape(x.shape)


TABLE.staged(
    "as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
    stages=as_strided_scatter,
    reference=array_as_strided_scatter,
    out=False,
)
