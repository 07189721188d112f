"""Adjoints of views: what their derivatives are made of."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.ops.view import views  # noqa: F401 - its rows come first
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
Geometry = tuple[tuple[int, ...], tuple[int, ...], int]


def view_backward_reference(view: str) -> Any:
    """The reference: zeros, and the gradient in the view of them."""

    def reference(xp: Any, grad: Any, sizes: Any, *arguments: Any) -> Any:
        whole = xp.zeros(sizes, grad.dtype)
        positions = xp.arange(whole.size).reshape(sizes)
        whole.reshape(-1)[ops[view].reference(xp, positions, *arguments)] = grad
        return whole

    return reference


TABLE.placing(
    "select_backward(Tensor grad_output, int[] input_sizes, int dim, int index) -> Tensor",
    view=ops["select"],
    reference=view_backward_reference("select"),
)
TABLE.placing(
    "slice_backward(Tensor grad_output, int[] input_sizes, int dim, int? start, int? end, int step) -> Tensor",
    view=ops["slice"],
    reference=view_backward_reference("slice"),
)
TABLE.placing(
    "diagonal_backward(Tensor grad_output, int[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
    view=ops["diagonal"],
    reference=view_backward_reference("diagonal"),
)


# ---- any geometry
def extent(geometry: Geometry) -> int:
    """One more than the offset of the last element; 0 without elements."""
    sizes, strides, offset = geometry
    return 0 if 0 in sizes else offset + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1


def overlaps(geometry: Geometry) -> bool:
    """Whether two elements may share a place: not when each stride is beyond all that the smaller ones reach."""
    reach = 0
    for stride, size in sorted((s, n) for n, s in zip(geometry[0], geometry[1], strict=True) if n != 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def shift_geometry(geometry: Geometry, start: int) -> Geometry:
    """The geometry counted from another start."""
    return geometry[0], geometry[1], geometry[2] - start


def is_dense(geometry: Geometry) -> bool:
    """Row-major without gaps, from the start."""
    sizes, strides, offset = geometry
    return offset == 0 and all(
        n == 1 or s == math.prod(sizes[d + 1 :]) for d, (n, s) in enumerate(zip(sizes, strides, strict=True))
    )


def element_positions(geometry: Geometry, length: int, device: Any) -> Any:
    """The place of each element, as one dim."""
    return ops["as_strided"](ops["arange"](length, device=device), *geometry).reshape(-1)


def restride(self: Tensor, source: Geometry, target: Geometry, shared: Geometry | None) -> Any:
    """Put the elements at the places of ``source``, then read with ``target``."""
    for sizes, strides, _ in (source, target) if shared is None else (source, target, shared):
        if len(sizes) != len(strides):
            raise RuntimeError(f"mismatch in length of strides and shape: {list(sizes)} and {list(strides)}")
    start = min(source[2], target[2])
    source, target = shift_geometry(source, start), shift_geometry(target, start)
    length = max(extent(source), extent(target))
    plain = shared is None or not overlaps(shared)
    if plain and is_dense(target) and math.prod(target[0]) == length and not overlaps(source):
        whole = self.new_zeros(target[0])
        ops["as_strided"](whole, *source).copy_(self)
        return whole
    storage = self.new_zeros(length)
    if overlaps(source):
        storage = ops["index_add"](storage, 0, element_positions(source, length, self.device), self.reshape(-1))
    elif self.numel():
        ops["as_strided"](storage, *source).copy_(self)
    if not plain:
        storage = storage / how_often(shift_geometry(shared, start), length, self.dtype, self.device)  # type: ignore[arg-type]
    return ops["as_strided"](storage, *target).clone()


def how_often(geometry: Geometry, length: int, dtype: Any, device: Any) -> Any:
    """How many elements have each place; 1 where none has."""
    once = ops["ones"](math.prod(geometry[0]), dtype=dtype, device=device)
    count = ops["index_add"](once.new_zeros(length), 0, element_positions(geometry, length, device), once)
    return ops["where"](ops["eq"](count, 0), 1, count)


def restride_reference(xp: Any, x: Any, source: Geometry, target: Geometry, shared: Geometry | None) -> Any:
    """The reference."""
    start = min(source[2], target[2])
    length = max(extent(shift_geometry(source, start)), extent(shift_geometry(target, start)))

    def where(geometry: Geometry) -> Any:
        sizes, strides, offset = geometry
        index = xp.full(sizes, offset - start)
        for d, (n, s) in enumerate(zip(sizes, strides, strict=True)):
            index = index + (xp.arange(n) * s).reshape([-1 if e == d else 1 for e in range(len(sizes))])
        return index

    storage, count = xp.zeros(length, x.dtype), xp.zeros(length)
    xp.add.at(storage, where(source), x)
    if shared is not None:
        xp.add.at(count, where(shared), 1)
        storage = (storage / xp.maximum(count, 1)).astype(x.dtype)
    return storage[where(target)]


TABLE.staged(
    "restride(Tensor self, object source, object target, object? shared=None) -> Tensor",
    stages=restride,
    method=False,
    reference=restride_reference,
)
