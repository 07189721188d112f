"""Selection by indices and masks: take, choose, where, select, nonzero."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.copy.joining import on_axis
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import shape_tuple
from wengert_numpy.operands import contains_tensor, operands, to_tensor, write_out

# ---- arguments


def index_tensor(indices: Any, x: Tensor, name: str) -> Tensor:
    """Return indices as a tensor of int64 on the device of x. TypeError for real numbers."""
    if isinstance(indices, (list, tuple)) and not contains_tensor(indices):
        indices = np.asarray(indices, np.intp)  # NumPy casts the numbers of lists, as of an empty one, but no arrays
    index = to_tensor(indices, name, "indices")
    if index.dtype.is_floating_point or index.dtype.is_complex:
        raise TypeError(
            f"{name}(): Cannot cast array data from {index.dtype} to int64 according to the rule 'safe': indices must "
            "be integers"
        )
    return index.to(wg.int64).to(x.device)


def mask_tensor(mask: Any, x: Tensor, name: str, argument: str = "condition") -> Tensor:
    """Return a mask as a tensor of bool on the device of x."""
    return to_tensor(mask, name, argument).to(wg.bool).to(x.device)


def fit_indices(index: Tensor, length: int, mode: str, name: str) -> Tensor:
    """Return indices brought into an axis by the mode "wrap" or "clip"; with "raise" as they are."""
    if mode == "raise":
        return index
    if not length and index.numel():
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if mode == "wrap":
        return index % max(length, 1)
    if mode == "clip":
        return index.clamp(0, max(length - 1, 0))
    raise ValueError(f"{name}(): clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


# ---- by indices


@implements("take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Tensor:
    """Return the slices of an axis, the elements without one, at indices."""
    x, axis = on_axis(a, axis, "take")
    index = fit_indices(index_tensor(indices, x, "take"), x.shape[axis], mode, "take")
    if index.numel() and not x.shape[axis]:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    picked = x[(slice(None),) * axis + (index.reshape(-1),)]
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    return write_out(out, picked.reshape(shape), "take")  # type: ignore[no-any-return]


def along_axis_index(x: Tensor, indices: Any, axis: int, name: str) -> tuple[Tensor, ...]:
    """Return the index of the elements that indices along an axis select, other axes in step."""
    index = to_tensor(indices, name, "indices")
    if index.dtype.is_floating_point or index.dtype.is_complex or index.dtype is wg.bool:
        raise IndexError("`indices` must be an integer array")
    if index.ndim != x.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    parts = []
    for i, length in enumerate(x.shape):
        if i == axis:
            parts.append(index.to(wg.int64).to(x.device))
        else:
            parts.append(wg.arange(length, device=x.device).reshape(-1, *(1,) * (x.ndim - 1 - i)))
    return tuple(parts)


@implements("take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Tensor:
    """Return the elements at indices along an axis, for each place of the other axes its own."""
    x, axis = on_axis(arr, axis, "take_along_axis")
    return x[along_axis_index(x, indices, axis, "take_along_axis")]


@implements("choose")
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Tensor:
    """Return at each place the element of the choice whose number is there."""
    options = operands(*choices, name="choose")
    index = index_tensor(a, options[0], "choose")
    if mode == "raise" and bool(((index < 0) | (index >= len(options))).any()):
        raise ValueError("invalid entry in choice array")
    index = fit_indices(index, len(options), mode, "choose")
    shape = np.broadcast_shapes(tuple(index.shape), *(tuple(t.shape) for t in options))
    stacked = wg.stack([t.expand(shape) for t in options])
    chosen = wg.gather(stacked, 0, index.expand(shape).unsqueeze(0)).squeeze(0)
    return write_out(out, chosen, "choose")  # type: ignore[no-any-return]


@implements("ix_")
def ix_(*args: Any) -> tuple[Tensor, ...]:
    """Return indices of a mesh, each along an axis of its own."""
    parts = []
    for i, one in enumerate(args):
        index = to_tensor(one, "ix_")
        if index.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if not index.shape[0]:
            index = index.to(wg.int64)
        if index.dtype is wg.bool:
            index = index.nonzero().reshape(-1)
        parts.append(index.reshape(*(-1 if j == i else 1 for j in range(len(args)))))
    return tuple(parts)


# ---- by masks


@implements("compress")
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Tensor:
    """Return the slices of an axis where the condition, of one axis, is true."""
    x = to_tensor(a, "compress")
    mask = mask_tensor(condition, x, "compress")
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return take(x, mask.nonzero().reshape(-1), axis, out)


@implements("extract")
def extract(condition: Any, arr: Any) -> Tensor:
    """Return the elements where the condition is true."""
    x = to_tensor(arr, "extract").reshape(-1)
    return take(x, mask_tensor(condition, x, "extract").reshape(-1).nonzero().reshape(-1))


@implements("where")
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Return the first where the condition is true, the second elsewhere; without them the condition's nonzero."""
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    first, second = operands(x, y, name="where")
    mask = to_tensor(condition, "where", "condition")
    np.broadcast_shapes(tuple(mask.shape), tuple(first.shape), tuple(second.shape))  # raises NumPy's error
    return wg.where(mask if mask.dtype is wg.bool else mask != 0, first, second)


@implements("select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Return at each place the choice of the first condition that is true there, the default where none is."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    *choices, result = operands(*choicelist, default, name="select")
    masks = [to_tensor(one, "select", "condlist") for one in condlist]
    for i, mask in enumerate(masks):
        if mask.dtype is not wg.bool:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    shape = np.broadcast_shapes(*(tuple(t.shape) for t in (*masks, *choices)))
    for mask, choice in zip(reversed(masks), reversed(choices), strict=True):
        result = wg.where(mask, choice, result)
    return result if result.shape == shape else result.expand(shape).clone()


@implements("nonzero")
def nonzero(a: Any) -> tuple[Tensor, ...]:
    """Return the indices of elements other than zero, one tensor for each axis."""
    x = to_tensor(a, "nonzero")
    if not x.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. If the context "
            "of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        )
    return tuple((x != 0).nonzero(as_tuple=True))


@implements("argwhere")
def argwhere(a: Any) -> Tensor:
    """Return the indices of elements other than zero, one row for each."""
    return (to_tensor(a, "argwhere") != 0).nonzero()


@implements("flatnonzero")
def flatnonzero(a: Any) -> Tensor:
    """Return the positions of elements other than zero, in C order."""
    return (to_tensor(a, "flatnonzero").reshape(-1) != 0).nonzero().reshape(-1)


# ---- between indices and positions


def strides_of(shape: tuple[int, ...], order: str) -> list[int]:
    """Return how many positions the next index along each axis is away."""
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    steps = [1]
    for length in shape[:0:-1] if order == "C" else shape[:-1]:
        steps.append(steps[-1] * length)
    steps = steps[: len(shape)]
    return steps[::-1] if order == "C" else steps


@implements("ravel_multi_index")
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Tensor:
    """Return the positions that indices, one tensor for each axis, have in a shape."""
    shape = shape_tuple(dims)
    modes = (mode,) * len(shape) if isinstance(mode, str) else mode
    parts = list(multi_index)
    if len(parts) != len(shape):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(shape)}")
    total: Any = 0
    for part, length, step, one in zip(parts, shape, strides_of(shape, order), modes, strict=True):
        index = to_tensor(part, "ravel_multi_index", "multi_index")
        index = index_tensor(index, index, "ravel_multi_index")
        if one == "raise" and bool(((index < 0) | (index >= length)).any()):
            raise ValueError("invalid entry in coordinates array")
        total = total + fit_indices(index, length, one, "ravel_multi_index") * step
    return total  # type: ignore[no-any-return]


@implements("unravel_index")
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """Return the indices, one tensor for each axis, that positions in a shape have."""
    lengths = shape_tuple(shape)
    index = to_tensor(indices, "unravel_index", "indices")
    index = index_tensor(index, index, "unravel_index")
    total = int(np.prod(lengths))
    outside = (index < 0) | (index >= total)
    if bool(outside.any()):
        worst = int(index[outside].reshape(-1)[0])
        raise ValueError(f"index {worst} is out of bounds for array with size {total}")
    steps = strides_of(lengths, order)
    return tuple(
        wg.div(index, step, rounding_mode="floor") % length for step, length in zip(steps, lengths, strict=True)
    )
