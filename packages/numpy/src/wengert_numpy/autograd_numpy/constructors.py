"""NumPy's functions that make arrays of what they are called with, for values among which tensors are.

NumPy asks no protocol for them. Of values without tensors they are NumPy's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.faces import as_array, call
from wengert_numpy.autograd_numpy.arrays.operators import FUNCTIONS, function_of_arrays
from wengert_numpy.autograd_numpy.containers import call_plain, to_numpy, to_plain
from wengert_numpy.autograd_numpy.nested import holds_tensor
from wengert_numpy.operands import cast, promote, to_tensor

F = Callable[..., Any]


def for_tensors(name: str) -> Callable[[F], F]:
    """Return a decorator: the function runs where the first argument holds tensors, else NumPy's of that name."""
    plain = getattr(numpy, name)

    def decorate(function: F) -> F:
        @wraps(plain)
        def constructor(a: Any, *args: Any, **kwargs: Any) -> Any:
            return function(a, *args, **kwargs) if holds_tensor(a) else plain(a, *args, **kwargs)

        return constructor

    return decorate


def build(a: Any, dtype: Any, name: str, copy: bool) -> Any:
    """Return a tensor, or nested sequences of tensors, arrays and numbers, as an array with its history."""
    t = call_plain(lambda: cast(to_tensor(a, name, "object"), dtype))
    if copy and t is a:
        t = call_plain(wg.clone, t)
    return as_array(t)


def at_least(t: Any, ndmin: int) -> Any:
    """Return an array with axes of length 1 before its own, so that it has ``ndmin``."""
    missing = ndmin - t.ndim
    return t.reshape((1,) * missing + tuple(t.shape)) if missing > 0 else t


@for_tensors("array")
def array(
    a: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
) -> Any:
    """Return an array of a tensor or of nested sequences of tensors, arrays and numbers."""
    return at_least(build(a, dtype, "array", bool(copy)), ndmin)


@for_tensors("asarray")
def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """Return a tensor as an array, nested sequences as a new one."""
    return build(a, dtype, "asarray", bool(copy))


@for_tensors("asanyarray")
def asanyarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """Return a tensor as an array, nested sequences as a new one."""
    return build(a, dtype, "asanyarray", bool(copy))


@for_tensors("ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Return a contiguous array with at least one axis."""
    return call(Tensor.contiguous, at_least(build(a, dtype, "ascontiguousarray", False), 1))


@for_tensors("asfortranarray")
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Return a tensor as an array. Its memory is in the order that it was in."""
    return build(a, dtype, "asfortranarray", False)


@wraps(numpy.full)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **kwargs: Any) -> Any:
    """Return an array of a shape, filled with a value."""
    if not holds_tensor(fill_value):
        return numpy.full(shape, fill_value, dtype, order, **kwargs)
    value = build(fill_value, dtype, "full", False)
    return call(lambda: wg.broadcast_to(value, (shape,) if isinstance(shape, int) else tuple(shape)).clone())


@wraps(numpy.full_like)
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, **kwargs: Any
) -> Any:
    """Return an array like another, filled with a value."""
    if not holds_tensor((a, fill_value)):
        return numpy.full_like(a, fill_value, dtype, order, subok, shape, **kwargs)
    kind = numpy.result_type(a.dtype if hasattr(a, "dtype") else a) if dtype is None else dtype
    return full(numpy.shape(a) if shape is None else shape, fill_value, kind)


@wraps(numpy.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return elements of the choices, by conditions. NumPy does not look whether the default is a tensor."""
    if holds_tensor(default):
        choicelist = [as_array(to_plain(choice)) for choice in choicelist]
    return numpy.select(condlist, choicelist, default)


def make_diagonal(D: Any, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    """Return matrices with the last axis of an array on their diagonals."""
    matrices = call(wg.diag_embed, to_tensor(D), offset, axis1, axis2)
    return matrices if holds_tensor(D) else to_numpy(matrices)


@wraps(numpy.isscalar)
def isscalar(element: Any) -> bool:
    """Return whether a value is a number, also one in differentiated code."""
    return not element.ndim if isinstance(element, Tensor) else numpy.isscalar(element)


class Concatenator:
    """``r_`` and ``c_``: NumPy's, which tensors may be put into.

    NumPy's own is called for the positions of the elements, so that all its directives have their meaning.
    """

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: Any) -> Any:
        if not holds_tensor(key):
            return self.plain[key]
        items = list(key) if isinstance(key, tuple) else [key]
        positions, parts, count = [], [], 0
        for item in items:
            if not isinstance(item, str):
                part = to_plain(
                    self.plain.__class__.__mro__[1].__getitem__(numpy.r_, item) if isinstance(item, slice) else item
                )
                item = numpy.arange(count, count + part.numel()).reshape(tuple(part.shape))
                count += part.numel()
                parts.append(part.reshape(-1))
            positions.append(item)
        order = self.plain[tuple(positions)]
        return call(lambda: wg.cat(promote(*parts))[to_tensor(numpy.asarray(order))])


r_ = Concatenator(numpy.r_)
c_ = Concatenator(numpy.c_)


JOINING = frozenset(
    "block choose column_stack concat concatenate dstack hstack lexsort multi_dot select stack vstack".split()
)
"""Functions of a sequence of arrays, in which NumPy looks for them."""


def list_to_array(value: Any) -> Any:
    """Return lists of arrays in differentiated code as an array, any other value as it is."""
    return array(value) if (value.__class__ is list or value.__class__ is tuple) and holds_tensor(value) else value


def of_lists(plain: Any) -> F:
    """Return a function of NumPy that takes lists of arrays in differentiated code, into which NumPy does not look."""
    joins = plain.__name__ in JOINING

    @wraps(plain)
    def function(*args: Any, **kwargs: Any) -> Any:
        for one in args:
            if one.__class__ is list or one.__class__ is tuple:
                if joins and one is args[0]:
                    args = ([list_to_array(part) for part in one], *args[1:])
                else:
                    args = tuple(map(list_to_array, args))
                break
        return plain(*args, **kwargs)

    return function_of_arrays(plain, function) if plain in FUNCTIONS else function


def functions_of(module: Any) -> dict[str, Any]:
    """Return the functions of a module of NumPy that ask their arguments' types, for arrays and lists of them."""
    found = {name: getattr(module, name) for name in module.__all__}
    return {name: of_lists(value) for name, value in found.items() if hasattr(value, "_implementation")}


def array_from_args(array_args: Any, array_kwargs: Any, *args: Any) -> Any:
    """Return an array of the arguments."""
    return array(args, *array_args, **array_kwargs)


def concatenate_args(axis: int, *args: Any) -> Any:
    """Return the arguments, joined along an axis."""
    return numpy.concatenate(args, axis)


CONSTRUCTORS: list[Any] = [
    array,
    asarray,
    asanyarray,
    ascontiguousarray,
    asfortranarray,
    full,
    full_like,
    select,
    make_diagonal,
    isscalar,
    array_from_args,
    concatenate_args,
]
"""The functions of this module that ``wengert.numpy`` has."""
