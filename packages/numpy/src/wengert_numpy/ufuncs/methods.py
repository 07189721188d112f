"""The methods of ufuncs on tensors: reduce, accumulate, outer, at, reduceat."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.operands import (
    FROM_NUMPY,
    axis_index,
    broadcast,
    numpy_dtype,
    reduction_axes,
    to_dtype,
    to_tensor,
    write_result,
)
from wengert_numpy.ufuncs import lexicographic
from wengert_numpy.ufuncs.general import call
from wengert_numpy.ufuncs.rows import Row

NO_VALUE = np._NoValue


def reduction_dtype(ufunc: Any, x: Tensor, dtype: Any) -> Any:
    """Return the dtype in which NumPy reduces: sums and products of small integers in int64 or uint64.

    TypeError where the ufunc has no loop whose result is its own first input.
    """
    if dtype is not None:
        return to_dtype(dtype, ufunc.__name__)
    kind = numpy_dtype(x)
    if kind.kind not in "biufc":  # bfloat16
        return None
    return FROM_NUMPY[ufunc.resolve_dtypes((None, kind, None), reduction=True)[0]]


def flat_axes(x: Tensor, axes: list[int]) -> Tensor:
    """Return the tensor with several axes moved to the end and made one."""
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    count = math.prod(x.shape[axis] for axis in axes)
    return x.permute(*rest, *axes).reshape(*(x.shape[axis] for axis in rest), count)


def reduce(
    row: Row,
    ufunc: Any,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the reduction of axes (None: all) by a ufunc of two inputs.

    initial: a value that the reduction begins with.   where: a mask of the elements that take part.
    """
    name = f"{ufunc.__name__}.reduce"
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("reduce only supported for binary functions")
    x = to_tensor(array, name)
    axes = reduction_axes(axis, x.ndim)
    if (kind := reduction_dtype(ufunc, x, dtype)) is not None:
        x = x.to(kind)
    identity = None if x.dtype is wg.bool and ufunc in EXTREMA else ufunc.identity
    start = None
    if initial is not NO_VALUE and initial is not None:
        start = to_tensor(initial, name, "initial").to(x.device, x.dtype)
    mask = None
    if where is not True:
        if identity is None and start is None:
            raise ValueError(f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where "
                             "mask one has to specify 'initial'")
        mask = broadcast(to_tensor(where, name, "where").to(x.device, wg.bool), x.shape)
    flat = flat_axes(x, axes) if axes else x.unsqueeze(-1)
    if not flat.shape[-1] and identity is None and start is None:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    flat_mask = None if mask is None else flat_axes(mask, axes) if axes else mask.unsqueeze(-1)
    result = fold(row, ufunc, flat, flat_mask, identity, start)
    if keepdims:
        result = result.reshape([1 if i in axes else n for i, n in enumerate(x.shape)])
    return write_result(out, result, name)


def fold(
    row: Row, ufunc: Any, flat: Tensor, mask: Tensor | None, identity: Any, initial: Tensor | None
) -> Tensor:
    """Return the reduction of the last dim.

    mask: the elements that take part.   identity: of the ufunc, or None.   initial: what the reduction begins with.
    """
    fast = REDUCTIONS.get(ufunc)
    if fast is not None and flat.shape[-1]:
        if mask is not None:
            flat = wg.where(mask, flat, initial if identity is None else identity)
        total = fast(flat)
        return total if initial is None else call(row, ufunc, (initial, total))
    items = list(flat.unbind(-1))
    if initial is None and (not items or mask is not None):
        initial = to_tensor(identity).to(flat.dtype)
    total = items[0] if initial is None else wg.broadcast_to(initial, flat.shape[:-1])
    for i in range(initial is None, len(items)):
        step = call(row, ufunc, (total, items[i]))
        total = step if mask is None else wg.where(mask[..., i], step, total)
    return total


EXTREMA = (np.maximum, np.minimum, np.fmax, np.fmin)


def largest(x: Tensor) -> Tensor:
    """Return the largest elements of the last dim, NaN where one is NaN."""
    return lexicographic.extremum(x) if x.dtype.is_complex else wg.amax(x, dim=-1)


def smallest(x: Tensor) -> Tensor:
    """Return the smallest elements of the last dim, NaN where one is NaN."""
    return lexicographic.extremum(x, largest=False) if x.dtype.is_complex else wg.amin(x, dim=-1)


def without_nan(reduction: Callable[[Tensor], Tensor], worst: float) -> Callable[[Tensor], Tensor]:
    """Return a reduction of the elements that are not NaN; it is NaN where all are.

    worst: what never is the result beside another element.
    """

    def run(x: Tensor) -> Tensor:
        nan = lexicographic.is_nan(x)
        rest = wg.where(nan, complex(worst, worst) if x.dtype.is_complex else worst, x) if can_be_nan(x) else x
        found = reduction(rest)
        return wg.where(nan.all(dim=-1), wg.nan, found) if can_be_nan(x) else found

    return run


def can_be_nan(x: Tensor) -> bool:
    """Return whether a tensor's dtype has a NaN."""
    return x.dtype.is_floating_point or x.dtype.is_complex


REDUCTIONS: dict[Any, Callable[[Tensor], Tensor]] = {
    np.add: lambda x: wg.any(x, dim=-1) if x.dtype is wg.bool else wg.sum(x, dim=-1).to(x.dtype),
    np.multiply: lambda x: wg.all(x, dim=-1) if x.dtype is wg.bool else wg.prod(x, dim=-1).to(x.dtype),
    np.maximum: largest,
    np.minimum: smallest,
    np.fmax: without_nan(largest, -wg.inf),
    np.fmin: without_nan(smallest, wg.inf),
    np.logical_and: lambda x: wg.all(x, dim=-1),
    np.logical_or: lambda x: wg.any(x, dim=-1),
}
"""Reductions that are an op."""
SCANS = {np.add: wg.cumsum, np.multiply: wg.cumprod}
"""Accumulations that are an op."""


def accumulate(row: Row, ufunc: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """Return the reductions of the first one, two, three, ... elements along an axis."""
    name = f"{ufunc.__name__}.accumulate"
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("accumulate only supported for binary functions")
    x = to_tensor(array, name)
    if not x.ndim:
        raise TypeError("cannot accumulate on a scalar")
    axis = axis_index(axis, x.ndim)
    if (kind := reduction_dtype(ufunc, x, dtype)) is not None:
        x = x.to(kind)
    if ufunc in SCANS:
        return write_result(out, SCANS[ufunc](x, dim=axis).to(x.dtype), name)
    if ufunc in (np.maximum, np.minimum) and not x.dtype.is_complex:
        scan = wg.cummax if ufunc is np.maximum else wg.cummin
        return write_result(out, scan(x, dim=axis).values, name)
    items = list(x.unbind(axis))
    for i in range(1, len(items)):
        items[i] = call(row, ufunc, (items[i - 1], items[i]))
    result = wg.stack([item.to(items[-1].dtype) for item in items], dim=axis) if items else x
    return write_result(out, result, name)


def outer(row: Row, ufunc: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    """Return the ufunc of each element of the first with each element of the second."""
    if ufunc.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    first, second = (x if isinstance(x, Tensor) else np.asarray(x) for x in (a, b))
    first = first.reshape((*first.shape, *(1,) * second.ndim))
    return call(row, ufunc, (first, second), **kwargs)


def at(row: Row, ufunc: Any, array: Any, indices: Any, b: Any = None) -> None:
    """Apply the ufunc in place at indices, as often as each occurs.

    The tensor is written to, which is recorded. TypeError for an ndarray whose new values would have a derivative.
    """
    name = f"{ufunc.__name__}.at"
    if not isinstance(array, Tensor):
        raise errors.unsupported_argument(name, "a", array, "it must be a tensor where another operand is one")
    positions = wg.arange(array.numel(), device=array.device).reshape(array.shape)[index_of(indices)]
    flat, places = array.reshape(-1), positions.reshape(-1)
    values = None
    if b is not None:
        values = broadcast(to_tensor(b, name, "b").to(array.dtype), positions.shape).reshape(-1)
    if ufunc is np.add or ufunc is np.subtract:
        assert values is not None
        array.copy_(flat.index_add(0, places, values if ufunc is np.add else -values).reshape(array.shape))
        return
    for turn in turns(places):  # equal indices one after the other
        chosen = places[turn]
        inputs = (flat[chosen],) if values is None else (flat[chosen], values[turn])
        flat = flat.index_put((chosen,), call(row, ufunc, inputs).to(array.dtype))
    array.copy_(flat.reshape(array.shape))


def turns(places: Tensor) -> list[Any]:
    """Return lists of positions in ``places`` such that each list names no place twice, the first ones first."""
    counts: dict[int, int] = {}
    lists: list[list[int]] = []
    for position, place in enumerate(places.tolist()):
        turn = counts[place] = counts.get(place, -1) + 1
        if turn == len(lists):
            lists.append([])
        lists[turn].append(position)
    return [wg.tensor(one, device=places.device) for one in lists]


def index_of(indices: Any) -> Any:
    """Return indices with arrays and lists as tensors, which select as NumPy's do."""
    if isinstance(indices, tuple):
        return tuple(map(index_of, indices))
    return to_tensor(indices) if isinstance(indices, (np.ndarray, list)) else indices


def reduceat(
    row: Row, ufunc: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """Return the reductions of the sections that begin at indices along an axis."""
    name = f"{ufunc.__name__}.reduceat"
    x = to_tensor(array, name)
    axis = axis_index(axis, x.ndim)
    starts = [int(i) for i in np.asarray(indices.tolist() if isinstance(indices, Tensor) else indices)]
    for start in starts:
        if not 0 <= start < x.shape[axis]:
            raise IndexError(f"index {start} out-of-bounds in {name} [0, {x.shape[axis]})")
    ends = [*starts[1:], x.shape[axis]]
    parts = []
    for start, end in zip(starts, ends, strict=True):
        section = x.narrow(axis, start, max(end - start, 1))
        parts.append(reduce(row, ufunc, section, axis, dtype))
    return write_result(out, wg.stack(parts, dim=axis), name)


METHODS = {"reduce": reduce, "accumulate": accumulate, "outer": outer, "at": at, "reduceat": reduceat}
