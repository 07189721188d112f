"""Derivatives of tensors of which a view is written."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear(
    "select_scatter",
    self=lambda grad, dim, index, src_shape: wc.select_scatter(grad, grad.new_zeros(src_shape), dim, index),
    src=lambda grad, dim, index: grad.select(dim, index),
)
linear(
    "slice_scatter",
    self=lambda grad, dim, start, end, step, src_shape: wc.slice_scatter(
        grad, grad.new_zeros(src_shape), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: wc.slice(grad, dim, start, end, step),
)
linear(
    "diagonal_scatter",
    self=lambda grad, offset, dim1, dim2, src_shape: wc.diagonal_scatter(
        grad, grad.new_zeros(src_shape), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)


# ---- any geometry: by the element of src that each element of the result is, as the operation itself writes them
def source_numbers(
    device: Any, self_geometry: Any, src_shape: Any, size: Any, stride: Any, storage_offset: int | None
) -> Tensor:
    """For each element of the result one more than the number of its element of src; 0 where it is one of self."""
    shape, strides, start = self_geometry
    first = start if storage_offset is None else max(storage_offset, 0)
    before = min(start, first)  # memory that neither self nor the part has
    reach = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    memory = wc.zeros(0 if 0 in shape else start - before + reach + 1, dtype=wc.int64, device=device)
    numbers = wc.arange(1, math.prod(src_shape) + 1, device=device).reshape(src_shape)
    offset = None if storage_offset is None else storage_offset - before
    return wc.as_strided_scatter(memory.as_strided(shape, strides, start - before), numbers, size, stride, offset)


def take_numbered(src: Tensor, numbers: Tensor) -> Tensor:
    """The elements of src by their numbers; 0 where there is none."""
    flat = wc.cat([src.new_zeros(1), src.reshape(-1)])
    return wc.index_select(flat, 0, numbers.reshape(-1)).reshape(numbers.shape)


def sum_by_number(grad: Tensor, numbers: Tensor, src_shape: Any) -> Tensor:
    """The gradient of src: what the elements of the result have that are one of its."""
    sums = grad.new_zeros(math.prod(src_shape) + 1)
    return wc.index_add(sums, 0, numbers.reshape(-1), grad.reshape(-1))[1:].reshape(src_shape)


def as_strided_scatter_self(
    grad: Tensor, self_geometry: Any, src_shape: Any, size: Any, stride: Any, storage_offset: int | None
) -> Tensor:
    """The gradient of what remains of self."""
    numbers = source_numbers(grad.device, self_geometry, src_shape, size, stride, storage_offset)
    return wc.masked_fill(grad, numbers > 0, 0)


def as_strided_scatter_src(
    grad: Tensor, self_geometry: Any, src_shape: Any, size: Any, stride: Any, storage_offset: int | None
) -> Tensor:
    """The gradient of what is written."""
    numbers = source_numbers(grad.device, self_geometry, src_shape, size, stride, storage_offset)
    return sum_by_number(grad, numbers, src_shape)


def as_strided_scatter_tangent(
    src_t: Tensor, self_geometry: Any, src_shape: Any, size: Any, stride: Any, storage_offset: int | None
) -> Tensor:
    """The tangent of what is written, 0 elsewhere."""
    return take_numbered(src_t, source_numbers(src_t.device, self_geometry, src_shape, size, stride, storage_offset))


linear(
    "as_strided_scatter",
    self=as_strided_scatter_self,
    src=as_strided_scatter_src,
    jvp={
        "self": lambda self_t, self_geometry, src_shape, size, stride, storage_offset: as_strided_scatter_self(
            self_t, self_geometry, src_shape, size, stride, storage_offset
        ),
        "src": as_strided_scatter_tangent,
    },
)
