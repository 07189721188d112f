"""Distinct values: of a whole tensor, sorted, or of runs of equal neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import BOOL, FLOATING, INTEGRAL
from wengert_core.tensors.tensor import Tensor


def check_slices(shape: Sequence[int], dim: int | None) -> None:
    """RuntimeError where slices along a dim hold nothing by which they could differ."""
    if dim is not None and 0 in (*shape[:dim], *shape[dim + 1 :]):
        raise RuntimeError(
            "Number of zero sized dimensions is more than one, so unique cannot be applied"
            if shape[dim] == 0
            else "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )


def distinct(xp: Any, x: Any, dim: int | None, inverse: bool, counts: bool) -> Any:
    """The sorted distinct values, or slices along a dim."""
    check_slices(x.shape, dim)
    if dim is not None and x.size == 0:  # NumPy makes a field of a dtype for each element of a slice
        none = xp.empty(0, "int64")
        return x, none, none
    x_or_flat = x if dim is not None else x.reshape(-1)
    # with indices the sort is stable, as the kernel's
    found = xp.unique(x_or_flat, return_index=True, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    return select_outputs(xp, found[0], found[2].reshape(x.shape if dim is None else -1), found[3], inverse, counts)


def select_outputs(xp: Any, values: Any, numbers: Any, lengths: Any, inverse: bool, counts: bool) -> Any:
    """The three outputs: those that nobody asks for are empty, as in torch."""
    none = xp.empty(0, "int64")
    return values, numbers if inverse else none, lengths if counts else none


unique_op = TABLE.along(
    "_unique(Tensor self, int? dim=None, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor output, Tensor inverse_indices, Tensor counts)",
    reference=distinct,
    kernel=("distinct", "sorted"),
    results=["same", "int64", "int64"],
    dtypes=BOOL + INTEGRAL + FLOATING,
    method=False,
    free_shape=True,
    doc="The sorted distinct values, where each element's is, how often each comes.",
)


def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    if dim is not None and isinstance(input, Tensor) and not input.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    is_number = input.dim() == 0       # all outputs of one have one shape
    values, inverse, counts = unique_op(input, dim, return_inverse or is_number, return_counts or is_number)
    if is_number:
        values, counts = values.reshape(1), counts.reshape(1)
    parts = (values,) + ((inverse,) if return_inverse else ()) + ((counts,) if return_counts else ())
    return parts[0] if len(parts) == 1 else parts


# ---- runs of equal values
def runs(xp: Any, x: Any, dim: int | None, return_inverse: bool, return_counts: bool) -> Any:
    """The first of each run of equal values (or slices along a dim), which run each is in, the lengths of runs."""
    shape = x.shape
    flat = x.reshape(-1) if dim is None else xp.moveaxis(x, dim, 0)
    check_slices(shape, dim)
    n = flat.shape[0]
    rest = tuple(range(1, flat.ndim))
    starts = xp.ones(n, bool)
    starts[1:] = (flat[1:] != flat[:-1]).any(rest) if rest else flat[1:] != flat[:-1]
    first = xp.flatnonzero(starts)
    inverse = xp.cumsum(starts) - 1
    counts = xp.diff(xp.append(first, n)) if n else first
    values = flat[first] if dim is None else xp.moveaxis(flat[first], 0, dim)
    inverse = inverse.reshape(shape) if dim is None else inverse
    return select_outputs(xp, values, inverse, counts, return_inverse, return_counts)


runs_op = TABLE.along(
    "_unique_consecutive(Tensor self, int? dim=None, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor output, Tensor inverse_indices, Tensor counts)",
    reference=runs,
    kernel=("distinct", "consecutive"),
    results=["same", "int64", "int64"],
    dtypes=BOOL + INTEGRAL + FLOATING,
    method=False,
    free_shape=True,
    refusal={"complex": NotImplementedError("\"unique\" not implemented for 'ComplexFloat' or 'ComplexDouble'")},
    doc="The first of each run of equal values, the run that each is in, the lengths of runs.",
)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    is_number = input.dim() == 0       # all outputs of one have one shape
    values, inverse, counts = runs_op(input, dim, return_inverse or is_number, return_counts or is_number)
    if is_number:
        values, counts = values.reshape(1), counts.reshape(1)
    parts = (values,) + ((inverse,) if return_inverse else ()) + ((counts,) if return_counts else ())
    return parts[0] if len(parts) == 1 else parts


for function in (unique, unique_consecutive):
    TABLE.composite(function, method=True)
