"""Functions that call functions: along an axis, over axes, on the elements that meet conditions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, to_tensor


@implements("apply_along_axis")
def apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the results of a function for each vector along an axis; dims of the results take the axis's place."""
    x = to_tensor(arr, "apply_along_axis", "arr")
    axis = axis_index(axis, x.ndim)
    rows = x.movedim(axis, -1)
    shape = tuple(rows.shape[:-1])
    if 0 in shape:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    places = product(*(range(size) for size in shape))
    results = [to_tensor(func1d(rows[place], *args, **kwargs), "apply_along_axis", "func1d") for place in places]
    dtype, inner = results[0].dtype, tuple(results[0].shape)
    stacked = wg.stack([result.to(dtype) for result in results]).reshape((*shape, *inner))
    outer = range(len(shape), len(shape) + len(inner))
    return stacked.permute(*range(axis), *outer, *range(axis, len(shape))) if stacked.ndim else stacked


@implements("apply_over_axes")
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """Return what a function of a tensor and an axis gives, called for one axis after the other."""
    x = to_tensor(a, "apply_over_axes")
    ndim = x.ndim
    for axis in axes if isinstance(axes, (tuple, list, range)) else np.atleast_1d(axes).tolist():
        axis = axis + ndim if axis < 0 else axis
        result = to_tensor(func(x, axis), "apply_over_axes", "func")
        if result.ndim != x.ndim:
            result = result.unsqueeze(axis)
        if result.ndim != x.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        x = result
    return x


@implements("piecewise")
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Return, where a condition holds, the results of its function for these elements; zeros elsewhere.

    funclist: functions, or numbers, one for each condition and one more for all other elements.
    """
    t = to_tensor(x, "piecewise", "x")
    conditions = condition_list(t, condlist)
    if len(conditions) == len(funclist) - 1:
        conditions.append(~wg.stack(conditions).any(0))
    if len(conditions) != len(funclist):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    flat = t.reshape(-1)
    result = wg.zeros_like(flat)
    for condition, function in zip(conditions, funclist, strict=True):
        mask = condition.reshape(-1)
        chosen = flat[mask]
        if not chosen.numel():
            continue
        value = function(chosen, *args, **kw) if callable(function) else function
        result = result.index_put((mask,), to_tensor(value, "piecewise", "funclist").to(t.dtype))
    return result.reshape(t.shape)


def condition_list(x: Tensor, conditions: Any) -> list[Tensor]:
    """Return conditions, of which one may come without a list, as masks of a tensor's shape."""
    if np.isscalar(conditions) or (isinstance(conditions, Tensor) and not conditions.ndim):
        conditions = [conditions]
    elif not isinstance(conditions[0], (list, np.ndarray)) and x.ndim:
        first = conditions[0]
        if not isinstance(first, Tensor) or not first.ndim:
            conditions = [conditions]
    masks = [to_tensor(one, "piecewise", "condlist").to(wg.bool) for one in conditions]
    return [wg.broadcast_to(mask, x.shape) for mask in masks]
