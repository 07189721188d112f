"""Joining: concatenate, stack, block, append, insert, delete."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import at_least, expand_into, host_array
from wengert_numpy.operands import axis_index, numpy_dtype, promote, to_dtype, to_tensor, to_tensors, write_out

# ---- along an axis that is there


def check_cast(x: Tensor, dtype: Any, casting: str) -> None:
    """Raise TypeError where NumPy's casting rule forbids the cast of a tensor to a dtype."""
    source, target = numpy_dtype(x), numpy_dtype(dtype)
    if not np.can_cast(source, target, casting=casting):  # type: ignore[arg-type]
        raise TypeError(f"Cannot cast array data from {source!r} to {target!r} according to the rule '{casting}'")


def in_common_dtype(tensors: list[Tensor], dtype: Any, casting: str, name: str) -> list[Tensor]:
    """Return tensors in ``dtype``, or in the one that NumPy's promotion gives for them."""
    if dtype is None:
        return promote(*tensors)
    for t in tensors:
        check_cast(t, dtype, casting)
    kind = to_dtype(dtype, name)
    return [t.to(kind) for t in tensors]


def check_shapes(tensors: list[Tensor], axis: int) -> None:
    """Raise NumPy's errors for tensors that cannot be concatenated."""
    first = tensors[0]
    for i, t in enumerate(tensors):
        if t.ndim != first.ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly: all the input "
                f"arrays must have same number of dimensions, but the array at index 0 has {first.ndim} dimension(s) "
                f"and the array at index {i} has {t.ndim} dimension(s)"
            )
        for dim, (one, other) in enumerate(zip(first.shape, t.shape, strict=True)):
            if dim != axis and one != other:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {dim}, the array at index 0 has size {one} and the array at index {i} has size {other}"
                )


@implements("concatenate", "concat")
def concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Tensor:
    """Return tensors joined along an axis; with ``axis=None`` their elements."""
    tensors = to_tensors(arrays, "concatenate")
    if not tensors:
        raise ValueError("need at least one array to concatenate")
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    if axis is None:
        tensors, axis = [t.reshape(-1) for t in tensors], 0
    if not tensors[0].ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_index(axis, tensors[0].ndim)
    check_shapes(tensors, axis)
    joined = wg.cat(in_common_dtype(tensors, dtype, casting, "concatenate"), dim=axis)
    return write_out(out, joined, "concatenate", casting)  # type: ignore[no-any-return]


@implements("hstack")
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
    """Return tensors joined along axis 1, those of one axis along axis 0."""
    tensors = [at_least(t, 1, "hstack") for t in to_tensors(tup, "hstack")]
    axis = 0 if tensors and tensors[0].ndim == 1 else 1
    return concatenate(tensors, axis, dtype=dtype, casting=casting)


@implements("vstack", "row_stack")
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
    """Return tensors joined along axis 0, those of one axis as rows."""
    tensors = [at_least(t, 2, "vstack") for t in to_tensors(tup, "vstack")]
    return concatenate(tensors, 0, dtype=dtype, casting=casting)


@implements("dstack")
def dstack(tup: Any) -> Tensor:
    """Return tensors joined along axis 2."""
    return concatenate([at_least(t, 3, "dstack") for t in to_tensors(tup, "dstack")], 2)


@implements("column_stack")
def column_stack(tup: Any) -> Tensor:
    """Return tensors joined along axis 1, those of one axis as columns."""
    tensors = to_tensors(tup, "column_stack")
    return concatenate([t if t.ndim > 1 else t.reshape(-1, 1) for t in tensors], 1)


@implements("append")
def append(arr: Any, values: Any, axis: Any = None) -> Tensor:
    """Return a tensor with values joined at the end of an axis, all on one axis by default."""
    return concatenate((to_tensor(arr, "append"), to_tensor(values, "append", "values")), axis)


# ---- along a new axis


@implements("stack")
def stack(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
    """Return tensors of one shape joined along a new axis."""
    tensors = to_tensors(arrays, "stack")
    if not tensors:
        raise ValueError("need at least one array to stack")
    if any(t.shape != tensors[0].shape for t in tensors):
        raise ValueError("all input arrays must have the same shape")
    axis = axis_index(axis, tensors[0].ndim + 1)
    joined = wg.stack(in_common_dtype(tensors, dtype, casting, "stack"), dim=axis)
    return write_out(out, joined, "stack", casting)  # type: ignore[no-any-return]


# ---- nested lists


def block_depth(arrays: Any) -> int:
    """Return the depth of nested lists. ValueError where it differs or a list is empty, TypeError for a tuple."""
    if isinstance(arrays, tuple):
        raise TypeError(
            "arrays is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
            "conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("List at arrays cannot be empty")
    depths = {block_depth(one) for one in arrays}
    if len(depths) > 1:
        raise ValueError(
            f"List depths are mismatched. First element was at depth {block_depth(arrays[0])}, but there is an "
            f"element at depth {max(depths - {block_depth(arrays[0])})}"
        )
    return 1 + depths.pop()


def block_leaves(arrays: Any) -> list[Tensor]:
    """Return the tensors of nested lists."""
    if isinstance(arrays, list):
        return [leaf for one in arrays for leaf in block_leaves(one)]
    return [to_tensor(arrays, "block", "arrays")]


def join_blocks(arrays: Any, depth: int, ndim: int) -> Tensor:
    """Return nested lists joined: innermost lists along the last axis, the next ones along the axis before it."""
    if not depth:
        x = to_tensor(arrays, "block", "arrays")
        return x.reshape((1,) * (ndim - x.ndim) + tuple(x.shape))
    return concatenate([join_blocks(one, depth - 1, ndim) for one in arrays], -depth)


@implements("block")
def block(arrays: Any) -> Tensor:
    """Return the tensor that nested lists of blocks make."""
    depth = block_depth(arrays)
    ndim = max(depth, *(leaf.ndim for leaf in block_leaves(arrays)))
    return join_blocks(arrays, depth, ndim) if depth else to_tensor(arrays, "block", "arrays").clone()


# ---- at positions inside


def on_axis(arr: Any, axis: Any, name: str) -> tuple[Tensor, int]:
    """Return a tensor and the number of an axis; without one its elements and 0."""
    x = to_tensor(arr, name)
    return (x.reshape(-1), 0) if axis is None else (x, axis_index(axis, x.ndim))


def host_index(obj: Any) -> Any:
    """Return an index of insert and delete, a slice, numbers or a mask, without tensors."""
    if isinstance(obj, (list, tuple)):
        parts = [host_array(one) for one in obj]
        return np.asarray(parts) if parts and np.asarray(parts).dtype == bool else parts
    return host_array(obj)


@implements("delete")
def delete(arr: Any, obj: Any, axis: Any = None) -> Tensor:
    """Return a tensor without the slices of an axis at the indices ``obj``."""
    x, axis = on_axis(arr, axis, "delete")
    rest = np.delete(np.arange(x.shape[axis]), host_index(obj))
    return x.index_select(axis, wg.from_numpy(rest).to(x.device))


@implements("insert")
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Tensor:
    """Return a tensor with values inserted before the indices ``obj`` of an axis."""
    x, axis = on_axis(arr, axis, "insert")
    length, index = x.shape[axis], host_index(obj)
    places = np.arange(*index.indices(length)) if isinstance(index, slice) else np.asarray(index)
    added = to_tensor(values, "insert", "values").to(x.dtype).to(x.device)
    added = added.reshape((1,) * (x.ndim - added.ndim) + tuple(added.shape))
    if places.ndim == 0:  # one index takes values as x[..., [i], ...] = would, not as x[..., i, ...] = would
        added = wg.movedim(added, 0, axis)
    count = int(places.sum()) if places.dtype == bool else places.size
    count = added.shape[axis] if count == 1 else count
    added = expand_into(added, tuple(count if i == axis else n for i, n in enumerate(x.shape)))
    order = np.insert(np.arange(length), index, np.arange(length, length + count))
    return wg.cat([x, added], dim=axis).index_select(axis, wg.from_numpy(order).to(x.device))
