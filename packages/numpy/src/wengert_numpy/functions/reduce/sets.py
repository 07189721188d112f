"""Sets: unique values with indices and counts, and union, intersection, difference of values.

Values have the derivatives of the elements that they are, the first one of equal elements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.reduce.sorting import lexicographic_order, real_keys, sorting_order
from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, promote, to_tensor


class UniqueAllResult(NamedTuple):
    """Result of unique_all."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """Result of unique_counts."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """Result of unique_inverse."""

    values: Tensor
    inverse_indices: Tensor


# ---- unique values


def first_of_equals(rows: Tensor, equal_nan: bool) -> Tensor:
    """Return a mask of the sorted rows that differ from the row before."""
    differs = rows[1:] != rows[:-1]
    if equal_nan and (rows.dtype.is_floating_point or rows.dtype.is_complex):
        nan = wg.isnan(rows)
        differs = differs & ~(nan[1:] & nan[:-1])
    first = wg.ones((min(rows.shape[0], 1),), dtype=wg.bool, device=rows.device)
    return wg.cat([first, differs.any(-1)])


def unique_rows(rows: Tensor, order: Tensor, equal_nan: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return where the unique rows are, which of them each row is, and how often each occurs.

    order: the permutation that sorts the rows.
    """
    mask = first_of_equals(rows[order], equal_nan)
    starts = mask.nonzero().reshape(-1)
    inverse = wg.empty_like(order)
    inverse[order] = wg.cumsum(mask, 0) - 1
    ends = wg.cat([starts[1:], starts.new_full((min(starts.shape[0], 1),), rows.shape[0])])
    return order[starts], inverse, ends - starts


def unique_elements(x: Tensor, equal_nan: bool = True) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the unique elements in ascending order, their indices, the inverse indices and counts."""
    flat = x.reshape(-1)
    indices, inverse, counts = unique_rows(flat[:, None], sorting_order(flat, 0), equal_nan)
    return flat[indices], indices, inverse, counts


@implements("unique")
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the unique elements, or slices of an axis, in ascending order.

    Also, where asked for, the indices of their first occurrences, the indices that give back the input, and counts.
    """
    x = to_tensor(ar, "unique", "ar")
    if axis is None or x.ndim == 1:
        if axis is not None:
            axis_index(axis, x.ndim)
        values, indices, inverse, counts = unique_elements(x, equal_nan)
        inverse = inverse.reshape(x.shape) if axis is None else inverse
    else:
        values, indices, inverse, counts = unique_slices(x, axis_index(axis, x.ndim))
    options = ((return_index, indices), (return_inverse, inverse), (return_counts, counts))
    results = (values, *(one for wanted, one in options if wanted))
    return results if len(results) > 1 else values


def unique_slices(x: Tensor, axis: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the unique slices of an axis in lexicographic order, their indices, the inverse indices and counts.

    Slices with NaN are all different, as in NumPy.
    """
    moved = wg.movedim(x, axis, 0)
    rows = moved.reshape(moved.shape[0], moved[:1].numel()) if moved.shape[0] else moved.reshape(0, 1)
    keys = [key for column in reversed(rows.unbind(1)) for key in real_keys(column)]
    order = lexicographic_order(keys, 0) if keys else wg.arange(rows.shape[0], device=x.device)
    indices, inverse, counts = unique_rows(rows, order, False)
    return x.index_select(axis, indices), indices, inverse, counts


@implements("unique_all")
def unique_all(x: Any) -> UniqueAllResult:
    """Return the unique elements, their indices, the indices that give back the input, and counts."""
    t = to_tensor(x, "unique_all", "x")
    values, indices, inverse, counts = unique_elements(t, equal_nan=False)
    return UniqueAllResult(values, indices, inverse.reshape(t.shape), counts)


@implements("unique_counts")
def unique_counts(x: Any) -> UniqueCountsResult:
    """Return the unique elements and how often each occurs."""
    values, _, _, counts = unique_elements(to_tensor(x, "unique_counts", "x"), equal_nan=False)
    return UniqueCountsResult(values, counts)


@implements("unique_inverse")
def unique_inverse(x: Any) -> UniqueInverseResult:
    """Return the unique elements and the indices that give back the input."""
    t = to_tensor(x, "unique_inverse", "x")
    values, _, inverse, _ = unique_elements(t, equal_nan=False)
    return UniqueInverseResult(values, inverse.reshape(t.shape))


@implements("unique_values")
def unique_values(x: Any) -> Tensor:
    """Return the unique elements, in ascending order."""
    return unique_elements(to_tensor(x, "unique_values", "x"), equal_nan=False)[0]


# ---- operations on two sets


@implements("isin")
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Tensor:
    """Return which elements are among the test elements."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    x, y = promote(to_tensor(element, "isin", "element"), to_tensor(test_elements, "isin", "test_elements"))
    if x.dtype is wg.bool:
        x, y = x.to(wg.uint8), y.to(wg.uint8)
    if kind == "table" and (x.dtype.is_floating_point or x.dtype.is_complex):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )
    if x.dtype.is_complex:
        member = wg.eq(x[..., None], y.reshape(-1)).any(-1)
        return ~member if invert else member
    return wg.isin(x, y.reshape(-1), assume_unique=assume_unique, invert=invert)


def two_sets(ar1: Any, ar2: Any, name: str) -> list[Tensor]:
    """Return the elements of two operands in their common dtype."""
    return [t.reshape(-1) for t in promote(to_tensor(ar1, name, "ar1"), to_tensor(ar2, name, "ar2"))]


@implements("intersect1d")
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the elements that both have, in ascending order, and where each has them."""
    first, second = two_sets(ar1, ar2, "intersect1d")
    x, x_indices, *_ = unique_elements(first)
    y, y_indices, *_ = unique_elements(second)
    places = isin(x, y).nonzero().reshape(-1)
    if not return_indices:
        return x[places]
    return x[places], x_indices[places], y_indices[isin(y, x).nonzero().reshape(-1)]


@implements("setdiff1d")
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the elements of the first that are not in the second."""
    x = to_tensor(ar1, "setdiff1d", "ar1").reshape(-1)
    x = x if assume_unique else unique_elements(x)[0]
    return x[isin(x, ar2, invert=True).nonzero().reshape(-1)]


@implements("setxor1d")
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the elements that only one of them has, in ascending order."""
    first, second = two_sets(ar1, ar2, "setxor1d")
    values, _, _, counts = unique_elements(wg.cat([unique_elements(first)[0], unique_elements(second)[0]]))
    return values[(counts == 1).nonzero().reshape(-1)]


@implements("union1d")
def union1d(ar1: Any, ar2: Any) -> Tensor:
    """Return the elements of both, in ascending order."""
    return unique_elements(wg.cat(two_sets(ar1, ar2, "union1d")))[0]
