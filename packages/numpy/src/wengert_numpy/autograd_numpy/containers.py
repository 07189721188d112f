"""Nested tuples, lists and dicts of arrays: arguments and results of differentiated functions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.array import ndarray
from wengert_numpy.autograd_numpy.faces import call, move_to_subclass, set_level, switch_off
from wengert_numpy.operands import to_tensor
from wengert_numpy.ufuncs.array_ufunc import tensor_on_array

ALIAS = Tensor.view_as
ATOMS = frozenset((numpy.ndarray, float, int, bool, complex, str, type(None), numpy.float64))
"""Classes that hold no tensors."""
NUMBERS = (float, complex, numpy.floating, numpy.complexfloating)
"""The types of numbers by which derivatives are taken."""


def map_leaves(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """Return nested tuples, lists and dicts with what a function gives for each leaf.

    others: values of the same form, whose leaves the function gets, too.
    """
    if isinstance(value, (list, tuple)):
        parts = [map_leaves(function, *ones) for ones in zip(value, *others, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        new = copy.copy(value)
        for key in value:
            new[key] = map_leaves(function, value[key], *(other[key] for other in others))
        return new
    return function(value, *others)


def leaves_of(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested tuples, lists and dicts, of a dict in the order of its sorted keys."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from leaves_of(one)
    elif isinstance(value, dict):
        for key in keys_of(value):
            yield from leaves_of(value[key])
    else:
        yield value


def keys_of(value: dict[Any, Any]) -> list[Any]:
    """Return a dict's keys, sorted where they can be."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def with_leaves(value: Any, leaves: Iterator[Any]) -> Any:
    """Return nested containers with other leaves, in the order of ``leaves_of``."""
    if isinstance(value, (list, tuple)):
        parts = [with_leaves(one, leaves) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        new = copy.copy(value)
        for key in keys_of(value):
            new[key] = with_leaves(value[key], leaves)
        return new
    return next(leaves)


def holds_tensor(value: Any) -> bool:
    """Return whether a tensor is somewhere in nested containers."""
    kind = value.__class__
    if kind in ATOMS:
        return False
    if kind is ndarray or isinstance(value, Tensor):
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return False
    return any(one.__class__ not in ATOMS and holds_tensor(one) for one in value)


def is_inexact(value: Any) -> bool:
    """Return whether a tensor or an array has a dtype by which derivatives are taken."""
    if isinstance(value, Tensor):
        return call(lambda: value.dtype.is_floating_point or value.dtype.is_complex)  # type: ignore[no-any-return]
    return isinstance(value, NUMBERS) or (isinstance(value, numpy.ndarray) and value.dtype.kind in "fc")


def not_differentiable(value: Any) -> TypeError:
    """Return the error for an argument by which no derivative is taken."""
    kind: Any = getattr(getattr(value, "dtype", None), "type", type(value))
    return TypeError(
        f"Can't differentiate w.r.t. type {kind}: give floating or complex numbers or arrays of them, "
        "and nested tuples, lists and dicts of those"
    )


def constant(value: Any) -> Any:
    """Return a tensor for an array or a number by which derivatives are taken. TypeError for anything else."""
    if value.__class__ is numpy.ndarray and value.dtype.kind in "fc":
        return tensor_on_array(value)
    if not is_inexact(value):
        raise not_differentiable(value)
    return tensor_on_array(numpy.asarray(value))


def variable(value: Any) -> Any:
    """Return a new array that requires a gradient, on the memory of an array or behind a tensor."""
    if not isinstance(value, Tensor):
        new = constant(value)
        new.requires_grad = True
        return move_to_subclass(new, ndarray)
    if not is_inexact(value):
        raise not_differentiable(value)
    level = switch_off(1)
    try:
        new = ALIAS(value, value)
        if not new.requires_grad:
            new.requires_grad = True
        return move_to_subclass(new, ndarray)
    finally:
        set_level(level)


def to_plain(value: Any) -> Any:
    """Return a leaf as a tensor that is no array, with its history."""
    if value.__class__ is ndarray:
        return call_plain(ALIAS, value, value)
    return value if isinstance(value, Tensor) else to_tensor(value)


def call_plain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what an operation of wengert gives, as tensors that are no arrays."""
    level = switch_off(1)
    try:
        return function(*args, **kwargs)
    finally:
        set_level(level)


def to_numpy(value: Any) -> Any:
    """Return a leaf as NumPy's array, or scalar where it has no axes; what is no tensor as it is."""
    if not isinstance(value, Tensor):
        return value
    array = call_plain(Tensor.numpy, value, force=True)
    if not array.ndim:
        return array[()]
    return array.copy() if 0 in array.strides or not array.flags.writeable else array


def zeros_of(value: Any) -> Any:
    """Return zeros like a leaf, as a tensor."""
    return wg.zeros(tuple(numpy.shape(value)), dtype=call_plain(lambda: to_plain(value).dtype))
