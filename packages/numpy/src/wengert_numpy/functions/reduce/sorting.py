"""Sorting and searching: sort, argsort, partition, lexsort, searchsorted, digitize.

Note [Order of complex numbers]
    NumPy's order: by the real part, then by the imaginary part; NaN last, in a part as in the number. The permutation
    is composed of stable sorts of the parts.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.copy.joining import on_axis
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import host_array
from wengert_numpy.operands import axis_index, numpy_dtype, promote, to_tensor, to_tensors

KINDS = ("quick", "merge", "heap", "stable")

# ---- sorting


def lexicographic_order(keys: list[Tensor], axis: int) -> Tensor:
    """Return the permutation along an axis that sorts by the last key, then by the one before it, and so on."""
    order = wg.argsort(keys[0], dim=axis, stable=True)
    for key in keys[1:]:
        step = wg.argsort(wg.take_along_dim(key, order, axis), dim=axis, stable=True)
        order = wg.take_along_dim(order, step, axis)
    return order


def real_keys(x: Tensor) -> list[Tensor]:
    """Return the keys, the last one first, by which numbers are sorted, see Note [Order of complex numbers]."""
    if not x.dtype.is_complex:
        return [x]
    nan_parts = 2 * wg.isnan(x.real).to(wg.uint8) + wg.isnan(x.imag).to(wg.uint8)
    return [x.imag, x.real, nan_parts]


def sorting_order(x: Tensor, axis: int) -> Tensor:
    """Return the permutation along an axis that sorts; equal elements keep their order."""
    return lexicographic_order(real_keys(x), axis)


def check_sort_arguments(kind: Any, order: Any, stable: Any = None) -> None:
    """Raise ValueError for a kind of sort that is not there, and for an order of fields, which tensors do not have."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is None:
        return
    if stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    if not isinstance(kind, str) or kind.lower().removesuffix("sort") not in KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


@implements("sort")
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Tensor:
    """Return the elements in ascending order along an axis, NaN last."""
    check_sort_arguments(kind, order, stable)
    x, axis = on_axis(a, axis, "sort")
    if x.dtype.is_complex:
        return wg.take_along_dim(x, sorting_order(x, axis), axis)
    return wg.sort(x, dim=axis, stable=True).values


@implements("argsort")
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Tensor:
    """Return the indices that sort along an axis; equal elements keep their order."""
    check_sort_arguments(kind, order, stable)
    x, axis = on_axis(a, axis, "argsort")
    return sorting_order(x, axis)


def check_kth(kth: Any, length: int, kind: str, order: Any) -> None:
    """Raise ValueError for positions of a partition that are outside of the axis, TypeError for real numbers."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    for one in np.atleast_1d(np.asarray(host_array(kth))).reshape(-1):
        place = operator.index(one)
        if not -length <= place < length:
            raise ValueError(f"kth(={place}) out of bounds ({length})")


@implements("partition")
def partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Tensor:
    """Return the elements such that those before position kth are not larger, those after it not smaller: sorted."""
    x, axis = on_axis(a, axis, "partition")
    check_kth(kth, x.shape[axis], kind, order)
    return sort(x, axis)


@implements("argpartition")
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Tensor:
    """Return the indices that partition along an axis: those that sort."""
    x, axis = on_axis(a, axis, "argpartition")
    check_kth(kth, x.shape[axis], kind, order)
    return sorting_order(x, axis)


@implements("lexsort")
def lexsort(keys: Any, axis: Any = -1) -> Tensor:
    """Return the indices that sort by several keys, of which the last one counts most."""
    tensors = to_tensors(keys, "lexsort", "keys")
    if not tensors:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(t.shape != tensors[0].shape for t in tensors):
        raise ValueError("all keys need to be the same shape")
    if not tensors[0].ndim:
        return wg.zeros((), dtype=wg.int64)
    axis = axis_index(axis, tensors[0].ndim)
    return lexicographic_order([part for t in tensors for part in real_keys(t)], axis)


@implements("sort_complex")
def sort_complex(a: Any) -> Tensor:
    """Return the elements in ascending order along the last axis, as complex numbers."""
    x = sort(a)
    if x.dtype.is_complex:
        return x
    small = numpy_dtype(x).char in "bhBH"
    return x.to(wg.complex64 if small else wg.complex128)


# ---- searching


def complex_positions(keys: Tensor, values: Tensor, right: bool) -> Tensor:
    """Return the positions for complex numbers: how many keys come before each value."""
    one, other = keys, values[..., None]
    before = wg.lt(one.real, other.real) | (wg.eq(one.real, other.real) & wg.lt(one.imag, other.imag))
    if right:
        before = before | wg.eq(one, other)
    return before.sum(-1)


@implements("searchsorted")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Return the positions at which values keep sorted keys in order."""
    keys, values = promote(to_tensor(a, "searchsorted"), to_tensor(v, "searchsorted", "v"))
    if keys.ndim != 1:
        raise ValueError("object too deep for desired array" if keys.ndim else "object of too small depth")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    if sorter is not None:
        keys = keys[sorting_index(sorter, keys)]
    if keys.dtype.is_complex:
        return complex_positions(keys, values, side == "right")
    if keys.dtype is wg.bool:
        keys, values = keys.to(wg.uint8), values.to(wg.uint8)
    return wg.searchsorted(keys, values.contiguous(), right=side == "right")


def sorting_index(sorter: Any, keys: Tensor) -> Tensor:
    """Return the permutation that sorts the keys. TypeError for real numbers, ValueError for another length."""
    index = to_tensor(sorter, "searchsorted", "sorter")
    if index.dtype.is_floating_point or index.dtype.is_complex:
        raise TypeError("sorter must only contain integers")
    if tuple(index.shape) != tuple(keys.shape):
        raise ValueError("sorter.size must equal keys.size")
    return index.to(wg.int64)


@implements("digitize")
def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """Return the numbers of the bins, increasing or decreasing edges, in which values lie."""
    values, edges = to_tensor(x, "digitize", "x"), to_tensor(bins, "digitize", "bins")
    if values.dtype.is_complex:
        raise TypeError("x may not be complex")
    if edges.ndim != 1:
        raise ValueError("object too deep for desired array" if edges.ndim else "object of too small depth")
    steps = edges[1:] < edges[:-1], edges[1:] > edges[:-1]
    decreasing = bool(steps[0].any())
    if decreasing and bool(steps[1].any()):
        raise ValueError("bins must be monotonically increasing or decreasing")
    if decreasing:
        return edges.shape[0] - searchsorted(wg.flip(edges, (0,)), values, "left" if right else "right")
    return searchsorted(edges, values, "left" if right else "right")
