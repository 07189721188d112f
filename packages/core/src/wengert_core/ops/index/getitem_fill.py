"""Indexing: x[...], x[...] = value, and the operations that write whole tensors or at given positions."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.index.getitem import getitem, set_index_op
from wengert_core.drivers.index.setitem import set_ops, setitem
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import set_operators


def with_slices(indices: Any) -> tuple[Any, ...]:
    """Index arrays as NumPy wants them: None stands for a whole dim."""
    return tuple(slice(None) if index is None else index for index in indices)


def put(xp: Any, x: Any, indices: Any, values: Any, accumulate: bool) -> Any:
    """The reference of index_put."""
    x = xp.array(x)
    if accumulate:
        xp.add.at(x, with_slices(indices), values)
    else:
        x[with_slices(indices)] = values
    return x


def masked_fill_reference(xp: Any, x: Any, mask: Any, value: Any) -> Any:
    """The reference of masked_fill."""
    return xp.where(mask, xp.asarray(value).astype(x.dtype), x)


TABLE.writing(
    "copy_(Tensor self, Any src, bool non_blocking=False) -> Tensor",
    way="copy_",
    reference=lambda xp, x, src, non_blocking: xp.broadcast_to(xp.asarray(src), x.shape).astype(x.dtype),
)
fill_ = TABLE.filling(
    "fill(Tensor self, Any value) -> Tensor",
    reference=lambda xp, x, value: xp.full_like(x, value),
)
TABLE.writing(
    "zero_(Tensor self) -> Tensor",
    way="zero_",
    reference=lambda xp, x: xp.zeros_like(x),
    function=True,
)
TABLE.positions(
    "index(Tensor self, object indices) -> Tensor",
    way="index",
    method=False,
    reference=lambda xp, x, indices: x[with_slices(indices)],
)
TABLE.positions(
    "index_put(Tensor self, object indices, Tensor values, bool accumulate=False) -> Tensor",
    way="index_put",
    reference=put,
)
TABLE.masking(
    "masked_fill(Tensor self, Tensor mask, Any value) -> Tensor",
    reference=masked_fill_reference,
)

set_index_op(TABLE.ops["index"])
set_ops(TABLE.ops["copy_"], TABLE.assigning(fill_), TABLE.ops["index_put_"])
set_operators({"getitem": getitem, "setitem": setitem})
