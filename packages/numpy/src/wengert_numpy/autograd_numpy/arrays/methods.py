"""NumPy's methods and attributes of arrays. Note [Two faces of an array] in faces.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import getattr_static
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays import attributes
from wengert_numpy.autograd_numpy.arrays.attributes import Attribute
from wengert_numpy.autograd_numpy.arrays.faces import ARRAY, DisableTorchFunctionSubclass, call, is_enabled, run
from wengert_numpy.autograd_numpy.arrays.indices import numpy_index
from wengert_numpy.operands import TO_NUMPY, to_dtype, to_tensor

FUNCTIONS = """all any argmax argmin argpartition argsort choose clip cumprod cumsum diagonal dot max mean min nonzero
prod ravel repeat round searchsorted squeeze std sum swapaxes take trace var""".split()
"""Methods that are NumPy's functions of the array."""


def with_faces(of_array: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is the tensor's of the same name for wengert's own code."""
    of_tensor = getattr(Tensor, of_array.__name__, None)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if of_tensor is not None and not is_enabled():
            return of_tensor(self, *args, **kwargs)
        return of_array(self, *args, **kwargs)

    method.__name__, method.__doc__ = of_array.__name__, of_array.__doc__
    return method


def shape_of(args: tuple[Any, ...]) -> Any:
    """Return what was written as one argument or as several."""
    return args[0] if len(args) == 1 else args


@with_faces
def reshape(self: Any, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    """Return the array with another shape, written as one argument or as several."""
    if order == "C" and copy is None:
        try:
            return call(Tensor.reshape, self, shape_of(shape))
        except (RuntimeError, TypeError):
            pass  # NumPy takes it, or has words of its own
    return run(numpy.reshape, (self, shape_of(shape)), {"order": order, "copy": copy})


@with_faces
def transpose(self: Any, *axes: Any) -> Any:
    """Return the array with its axes permuted, reversed where none are given."""
    order = shape_of(axes) if axes else None
    return run(numpy.transpose, (self,) if order is None else (self, order), {})


@with_faces
def flatten(self: Any, order: str = "C") -> Any:
    """Return a copy with one axis."""
    return run(numpy.ravel, (self.copy(), order), {})


@with_faces
def copy(self: Any, order: str = "C") -> Any:
    """Return a copy, through which derivatives go."""
    return call(wg.clone, self)


@with_faces
def astype(
    self: Any, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """Return the array in another dtype. TypeError where the casting rule forbids it."""
    target = to_dtype(dtype, "astype")
    if not numpy.can_cast(self.dtype, TO_NUMPY[target], casting=casting):
        raise TypeError(
            f"Cannot cast array data from {self.dtype!r} to {TO_NUMPY[target]!r} according to the rule {casting!r}"
        )
    return call(Tensor.to, self, target, copy=bool(copy))


@with_faces
def sort(self: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    """Sort the array in place."""
    write(self, run(numpy.sort, (self, axis), {}))


@with_faces
def partition(self: Any, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
    """Order the array in place such that the elements at positions kth are those of the sorted array."""
    write(self, run(numpy.sort, (self, axis), {}))


@with_faces
def fill(self: Any, value: Any) -> None:
    """Write a value everywhere."""
    write(self, value)


@with_faces
def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
    """Write values at positions of the flat array."""
    run(numpy.put, (self, indices, values), {"mode": mode})


@with_faces
def compress(self: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """Return the slices along an axis for which the condition is true."""
    return run(numpy.compress, (condition, self, axis, out), {})


@with_faces
def conjugate(self: Any) -> Any:
    """Return the complex conjugate."""
    return numpy.conjugate(self)


@with_faces
def conj(self: Any) -> Any:
    """Return the complex conjugate."""
    return numpy.conjugate(self)


def write(array: Any, values: Any) -> None:
    """Write values into an array, which is recorded."""
    with DisableTorchFunctionSubclass():
        array.copy_(to_tensor(values).to(array.dtype))


def copy_of(self: Any) -> Any:
    """Return a copy, through which derivatives go."""
    return call(wg.clone, self) if is_enabled() else Tensor.__copy__(self)


def deep_copy_of(self: Any, memo: dict[int, Any]) -> Any:
    """Return a copy, through which derivatives go; the same one for every place where the array is."""
    if not is_enabled():
        return Tensor.__deepcopy__(self, memo)
    if id(self) not in memo:
        memo[id(self)] = call(wg.clone, self)
    return memo[id(self)]


def truth(self: Any) -> bool:
    """Return whether the only element is not zero. ValueError for another number of elements."""
    if is_enabled() and Tensor.numel(self) != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            if Tensor.numel(self) else "The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
            "that an array is not empty."
        )
    return bool(Tensor.__bool__(self))


# ---- attributes


def ndarray_type() -> Any:
    """Return the class of arrays."""
    return ARRAY[0]


class TensorSize:
    """The attribute ``size`` of tensors, an int that is called as the method."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        return super(ndarray_type(), instance).size  # type: ignore[misc]


def tensor_attribute(name: str) -> Any:
    """Return the descriptor of an attribute of tensors; None where they have none."""
    if name == "size":  # a method whose type has no __get__ for Python
        return TensorSize()
    return getattr_static(Tensor, name, None)


def attribute(of_array: Callable[[Any], Any], gives_array: bool = False) -> Attribute:
    """Return an attribute that is the tensor's of the same name for wengert's own code."""
    return Attribute(tensor_attribute(of_array.__name__), of_array, gives_array)


get_dtype = Tensor.dtype.__get__


def dtype(self: Any) -> numpy.dtype[Any]:
    """The dtype, one of NumPy's."""
    return TO_NUMPY[get_dtype(self)]


def itemsize(self: Any) -> int:
    """The number of bytes of an element."""
    return TO_NUMPY[get_dtype(self)].itemsize


def nbytes(self: Any) -> int:
    """The number of bytes of all elements."""
    return int(Tensor.numel(self)) * TO_NUMPY[get_dtype(self)].itemsize


def strides(self: Any) -> tuple[int, ...]:
    """The number of bytes between neighbors along each axis."""
    width = TO_NUMPY[get_dtype(self)].itemsize
    return tuple(step * width for step in Tensor.stride(self))


def T(self: Any) -> Any:
    """The array with its axes reversed."""
    return wg.permute(self, range(Tensor.dim(self) - 1, -1, -1))


def real(self: Any) -> Any:
    """The real part."""
    return wg.real(self)


def imag(self: Any) -> Any:
    """The imaginary part, zeros of a real array."""
    return wg.imag(self) if Tensor.is_complex(self) else wg.zeros_like(self)


def values_of(self: Any) -> Any:
    """The values, as an array or number of NumPy; HIPS autograd's name for them is ``_value``."""
    return call(Tensor.numpy, self, force=True)[()]


def flat(self: Any) -> Any:
    """The elements as an array with one axis."""
    return Tensor.reshape(self, -1)


# ---- indexing


def iterate(self: Any) -> Iterator[Any]:
    """Yield the rows."""
    if not self.ndim:
        raise TypeError("iteration over a 0-d array")
    for i in range(len(self)):
        yield self[i]


def setitem(self: Any, index: Any, value: Any) -> None:
    """Write values at an index, which is recorded."""
    with DisableTorchFunctionSubclass() as level:
        Tensor.__setitem__(self, index if level else numpy_index(index), value)


METHODS = [reshape, transpose, flatten, copy, astype, sort, partition, fill, put, compress, conjugate, conj]
ATTRIBUTES = [attributes.shape, attributes.ndim, attributes.size, dtype, itemsize, nbytes, strides]
ARRAY_ATTRIBUTES = [T, real, imag, flat]


def enter(kind: type) -> None:
    """Give a subclass of Tensor the methods and attributes."""
    for name in FUNCTIONS:
        method = attributes.function_method(getattr(numpy, name), getattr(Tensor, name, None), run)
        setattr(kind, name, method)
    for method in METHODS:
        setattr(kind, method.__name__, method)
    for one in ATTRIBUTES:
        setattr(kind, one.__name__, attribute(one))
    for one in ARRAY_ATTRIBUTES:
        setattr(kind, one.__name__, attribute(one, gives_array=True))
    setattr(kind, "__getitem__", attributes.getitem)  # noqa: B010 - kind is any subclass
    setattr(kind, "__iter__", iterate)  # noqa: B010
    setattr(kind, "__setitem__", setitem)  # noqa: B010
    setattr(kind, "__copy__", copy_of)  # noqa: B010
    setattr(kind, "__deepcopy__", deep_copy_of)  # noqa: B010
    setattr(kind, "__bool__", truth)  # noqa: B010
    setattr(kind, "_value", property(values_of))  # noqa: B010
