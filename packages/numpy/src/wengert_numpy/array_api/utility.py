"""Utility functions."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Axis, Op, axes_of
from wengert_numpy.array_api.binding import promote_arrays, with_signature_of
from wengert_numpy.array_api.creation import as_array


def all(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return whether all elements are true, over axes (None: all)."""
    return quantifier(wg.all, x, axis, keepdims)


def any(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return whether an element is true, over axes (None: all)."""
    return quantifier(wg.any, x, axis, keepdims)


def quantifier(op: Op, x: Any, axis: Axis, keepdims: bool) -> Tensor:
    """Return a logical reduction, as booleans."""
    x = as_array(x)
    if x.dtype is not wg.bool:
        x = x != 0
    if axis is None and not keepdims:
        return op(x)
    axes = axes_of(axis, x.ndim)
    return op(x, axes, keepdims) if axes else x.clone()


@with_signature_of(lambda x, /, *, axis=-1, n=1, prepend=None, append=None: None)
def diff(
    x: Tensor, /, n: int = 1, *, axis: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Return the n-th differences of neighbors along an axis.

    n: by the standard it is named; scikit-learn gives it by position, as to NumPy.
    prepend, append: values that are put before and after the elements first.
    """
    x = as_array(x)
    if n < 0:
        raise ValueError(f"diff(): order must be non-negative but got {n}")
    (along,) = axes_of(axis, x.ndim)
    parts = promote_arrays(*(one for one in (prepend, x, append) if one is not None))
    joined = wg.cat(parts, dim=along) if len(parts) > 1 else x
    return wg.diff(joined, n, along) if n else joined
