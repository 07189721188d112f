"""Searching functions."""

from __future__ import annotations

from typing import Any, Literal

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Axis, Op, axes_of
from wengert_numpy.array_api.binding import promote_arrays, with_signature_of
from wengert_numpy.array_api.creation import as_array


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the maximum along an axis (None: in the row of all elements), the first of several."""
    return arg_extremum(wg.argmax, "argmax", x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the minimum along an axis (None: in the row of all elements), the first of several."""
    return arg_extremum(wg.argmin, "argmin", x, axis, keepdims)


def arg_extremum(op: Op, name: str, x: Any, axis: int | None, keepdims: bool) -> Tensor:
    """Return indices of extrema. ValueError where there are no elements."""
    x = as_array(x)
    if x.dtype is wg.bool:
        x = x.to(wg.uint8)
    if axis is not None:
        (axis,) = axes_of(axis, x.ndim)
    if not (x.numel() if axis is None else x.shape[axis]):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    return op(x, axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the number of elements that are not zero, over axes (None: all)."""
    x = as_array(x)
    counted = x if x.dtype is wg.bool else x != 0
    return counted.to(wg.int64) if axis == () else wg.sum(counted, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Return the indices of the elements that are not zero, an array for each axis. ValueError without axes."""
    x = as_array(x)
    if not x.ndim:
        raise ValueError("nonzero(): expected an array with one dim or more, got one without; reshape it to (1,)")
    return tuple(wg.nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Tensor, /, *, side: Literal["left", "right"] = "left", sorter: Tensor | None = None
) -> Tensor:
    """Return the indices in x1, a sorted vector, before which the elements of x2 keep the order.

    side: where equal elements go.   sorter: the indices that sort x1, where it is not sorted.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted(): side must be 'left' or 'right', got {side!r}")
    x1, x2 = promote_arrays(x1, x2)
    if x1.ndim != 1:
        raise ValueError(f"searchsorted(): x1 must have one dim, it has shape {tuple(x1.shape)}")
    if sorter is not None:
        x1 = x1[as_array(sorter).to(wg.int64)]
    if x1.dtype.is_floating_point:
        return search_before_nan(x1, x2, side)
    return wg.searchsorted(x1, x2.contiguous(), side=side)


def search_before_nan(x1: Tensor, x2: Tensor, side: str) -> Tensor:
    """Return positions in a sorted vector that may end with NaN, where sort puts it; wg.searchsorted takes no NaN."""
    missing = wg.isnan(x1)
    numbers = wg.sum(~missing)
    found = wg.searchsorted(wg.where(missing, float("inf"), x1), x2.contiguous(), side=side)
    return wg.where(wg.isnan(x2), numbers if side == "left" else x1.numel(), wg.minimum(found, numbers))


@with_signature_of(lambda condition, x1, x2, /: None)
def where(condition: Tensor, x1: Any = None, x2: Any = None, /) -> Any:
    """Return the elements of x1 where the condition is true, of x2 elsewhere. One of both may be a number.

    The condition alone, as scikit-learn gives it, is NumPy's way to ask for nonzero. TypeError where only x2 is absent.
    """
    if x2 is None:
        if x1 is None:
            return nonzero(condition)
        raise TypeError("where(): expected x1 and x2, or neither of them")
    condition = as_array(condition)
    if condition.dtype is not wg.bool:
        condition = condition != 0
    if isinstance(x1, Tensor) and isinstance(x2, Tensor) and x1.dtype is x2.dtype:
        return wg.where(condition, x1, x2)
    first, second = promote_arrays(x1, x2)
    if first.device != condition.device:
        first, second = first.to(condition.device), second.to(condition.device)
    return wg.where(condition, first, second)
