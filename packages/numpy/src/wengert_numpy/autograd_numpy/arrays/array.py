"""Arrays inside differentiated code: tensors with NumPy's operators, methods and attributes.

>>> import numpy as np
>>> x = as_array(wg.arange(6.0).reshape(2, 3))
>>> x.std(axis=0), x.T.shape, (x * np.ones(3)).size
(array([1.5, 1.5, 1.5], dtype=float32), (3, 2), 6)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays import methods, operators
from wengert_numpy.autograd_numpy.arrays.faces import (
    ARRAY,
    DisableTorchFunctionSubclass,
    EnableTorchFunction,
    as_array,
    call,
    move_to_subclass,
)
from wengert_numpy.protocols.function_method import array_function
from wengert_numpy.ufuncs.array_ufunc import array_ufunc

CALL, DTYPE = "__call__", Tensor.dtype.__get__
INTEGERS = {
    numpy.add: wg.add,
    numpy.subtract: wg.sub,
    numpy.multiply: wg.mul,
    numpy.remainder: wg.remainder,
}
"""Ufuncs of an int64 array and a number from 1 to BOUND that are operations: what indices are computed with."""
BOUND = 2**62
WIDENING = frozenset((numpy.add, numpy.subtract, numpy.multiply, numpy.divide))
"""Ufuncs before which integers become float64 beside an array of float64."""
CALLBACKS = (numpy.apply_along_axis, numpy.apply_over_axes, numpy.piecewise)
"""Functions that call functions among their arguments."""


class ArrayType(type):
    """The type of ``ndarray``, of which NumPy's own arrays are instances as well."""

    def __instancecheck__(cls, value: Any) -> bool:
        return type.__instancecheck__(cls, value) or isinstance(value, numpy.ndarray)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return type.__subclasscheck__(cls, subclass) or issubclass(subclass, numpy.ndarray)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return numpy.ndarray(*args, **kwargs)


class ndarray(Tensor, metaclass=ArrayType):
    """A tensor that looks like NumPy's array. ``ndarray(shape, dtype)`` makes one of NumPy's."""

    __slots__ = ()

    __array_ufunc__ = operators.array_ufunc_of_arrays
    __array_function__ = operators.array_function_of_arrays

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        values = printable(self)
        return str(call(Tensor.__repr__, self)) if values is None else repr(values)

    def __str__(self) -> str:
        values = printable(self)
        return str(call(Tensor.__repr__, self)) if values is None else str(values)

    __hash__ = Tensor.__hash__


def general_ufunc(self: ndarray, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Return the result of a ufunc on arrays, whatever its inputs and arguments are."""
    with DisableTorchFunctionSubclass() as level:
        if inputs and inputs[0].__class__ is numpy.ndarray and ufunc in WIDENING and method == CALL and not kwargs:
            inputs = (widen(inputs[0], self), *inputs[1:])
        result = array_ufunc(self, ufunc, method, *inputs, **kwargs)
    if result.__class__ is Tensor and not level and not kwargs:
        return move_to_subclass(result, ndarray)
    return result if level else as_array(result)


def general_function(self: ndarray, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Return the result of a function of NumPy, by its implementation for tensors."""
    with DisableTorchFunctionSubclass() as level:
        if func in CALLBACKS and not level:
            args = tuple(callback(one) if callable(one) and not isinstance(one, type) else one for one in args)
        result = array_function(self, func, types, args, kwargs)
    return result if level else as_array(result)


def printable(array: ndarray) -> Any:
    """Return the values for printing; None for a batch, or whatever else is no array."""
    try:
        return call(Tensor.numpy, array, force=True)
    except (RuntimeError, TypeError):
        return None


def widen(constant: Any, array: Any) -> Any:
    """Return an array of integers as one of float64 beside an array of float64, sooner than by NumPy's rules for all
    dtypes; any other one as it is.
    """
    wide = constant.dtype.kind in "biu" and DTYPE(array) is wg.float64
    return constant.astype(numpy.float64) if wide else constant


def callback(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that gets arrays where it is called with tensors, in code that runs as on tensors."""

    def override(*args: Any, **kwargs: Any) -> Any:
        with EnableTorchFunction():
            return function(*(one.as_subclass(ndarray) if type(one) is Tensor else one for one in args), **kwargs)

    return override


# ---- operators


def binary(ufunc: Any, tensor_operator: Any, swapped: bool = False) -> Callable[[Any, Any], Any]:
    """Return an operator of two operands: the ufunc for the program, the tensor's operator for wengert's own code."""
    of_integers = None if swapped else INTEGERS.get(ufunc)

    def forward(self: Any, other: Any) -> Any:
        with DisableTorchFunctionSubclass() as level:
            if level:
                return tensor_operator(self, other)
            if other.__class__ is int and of_integers is not None and DTYPE(self) is wg.int64 and 0 < other < BOUND:
                result = of_integers(self, other)
            else:
                if other.__class__ is numpy.ndarray:
                    other = widen(other, self)
                inputs = (other, self) if swapped else (self, other)
                result = array_ufunc(self, ufunc, CALL, *inputs)
        return move_to_subclass(result, ndarray) if result.__class__ is Tensor else as_array(result)

    return operators.binary(ufunc, tensor_operator, forward, swapped)


def comparison(ufunc: Any, tensor_operator: Any) -> Callable[[Any, Any], Any]:
    """Return a comparison, which leaves None and words to Python."""
    compare = binary(ufunc, tensor_operator)

    def forward(self: Any, other: Any) -> Any:
        return NotImplemented if other is None or isinstance(other, str) else compare(self, other)

    return operators.binary(ufunc, tensor_operator, forward, False)


def unary(ufunc: Any, tensor_operator: Any) -> Callable[[Any], Any]:
    """Return an operator of one operand."""

    def forward(self: Any) -> Any:
        with DisableTorchFunctionSubclass() as level:
            if level:
                return tensor_operator(self)
            result = array_ufunc(self, ufunc, CALL, self)
        return as_array(result)

    return operators.unary(ufunc, tensor_operator, forward)


ARITHMETIC = {
    "add": numpy.add,
    "sub": numpy.subtract,
    "mul": numpy.multiply,
    "truediv": numpy.divide,
    "floordiv": numpy.floor_divide,
    "mod": numpy.remainder,
    "pow": numpy.power,
    "matmul": numpy.matmul,
    "and": numpy.bitwise_and,
    "or": numpy.bitwise_or,
    "xor": numpy.bitwise_xor,
    "lshift": numpy.left_shift,
    "rshift": numpy.right_shift,
    "divmod": numpy.divmod,
}
COMPARISONS = {
    "eq": numpy.equal,
    "ne": numpy.not_equal,
    "lt": numpy.less,
    "le": numpy.less_equal,
    "gt": numpy.greater,
    "ge": numpy.greater_equal,
}
UNARY = {"neg": numpy.negative, "pos": numpy.positive, "abs": numpy.absolute, "invert": numpy.invert}


def set_operators() -> None:
    """Give arrays NumPy's operators.

    ``x += y`` is ``x = x + y``, as in HIPS autograd: no saved value is overwritten.
    """
    for name, ufunc in ARITHMETIC.items():
        for prefix, swapped in (("", False), ("r", True), ("i", False)):
            method = f"__{prefix}{name}__"
            if method != "__idivmod__":
                setattr(ndarray, method, binary(ufunc, getattr(Tensor, method, None), swapped))
    for name, ufunc in COMPARISONS.items():
        setattr(ndarray, f"__{name}__", comparison(ufunc, getattr(Tensor, f"__{name}__")))
    for name, ufunc in UNARY.items():
        setattr(ndarray, f"__{name}__", unary(ufunc, getattr(Tensor, f"__{name}__")))


ARRAY.append(ndarray)
operators.set_array_type(ndarray, general_ufunc, general_function, as_array)
set_operators()
methods.enter(ndarray)

__all__ = ["as_array", "ndarray"]
