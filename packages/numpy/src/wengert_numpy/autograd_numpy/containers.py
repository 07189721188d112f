"""Arguments and results of differentiated functions: arrays as variables and constants, results as arrays of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.array import ndarray
from wengert_numpy.autograd_numpy.arrays.faces import DisableTorchFunctionSubclass, call, move_to_subclass
from wengert_numpy.operands import to_tensor
from wengert_numpy.ufuncs.array_ufunc import tensor_on_array

ALIAS = Tensor.view_as
NUMBERS = (float, complex, numpy.floating, numpy.complexfloating)
"""The types of numbers by which derivatives are taken."""


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
    with DisableTorchFunctionSubclass():
        new = ALIAS(value, value)
        if not new.requires_grad:
            new.requires_grad = True
        return move_to_subclass(new, ndarray)


def to_plain(value: Any) -> Any:
    """Return a leaf as a tensor that is no array, with its history."""
    if value.__class__ is ndarray:
        return call_plain(ALIAS, value, value)
    return value if isinstance(value, Tensor) else to_tensor(value)


def call_plain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what an operation of wengert gives, as tensors that are no arrays."""
    with DisableTorchFunctionSubclass():
        return function(*args, **kwargs)


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
