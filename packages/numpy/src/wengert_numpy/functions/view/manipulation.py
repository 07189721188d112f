"""Shapes: reshape, ravel, resize, squeeze, broadcast, copies. Views where NumPy gives views."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_list, is_differentiable, to_dtype, to_tensor

ORDERS = ("C", "F", "A", "K")

# ---- arguments


def shape_tuple(shape: Any) -> tuple[int, ...]:
    """Return a shape, one number or a sequence of them, as a tuple of ints."""
    if isinstance(shape, (tuple, list)):
        return tuple(map(operator.index, shape))
    if isinstance(shape, (Tensor, np.ndarray)) and shape.ndim:
        return tuple(shape.tolist())
    return (operator.index(shape),)


def host_array(value: Any) -> Any:
    """Return integers that decide on a result's shape as an array; anything but a tensor as it is.

    They have no derivative that could be lost: TypeError for a tensor of real numbers.
    """
    if not isinstance(value, Tensor):
        return value
    if value.dtype.is_floating_point or value.dtype.is_complex:
        raise TypeError(f"Cannot cast tensor data from {value.dtype} to int64: indices and counts must be integers")
    return value.numpy(force=True)


def reverse_axes(x: Tensor) -> Tensor:
    """Return a view with the axes in reverse order."""
    return x.permute(*range(x.ndim - 1, -1, -1)) if x.ndim > 1 else x


def is_fortran(x: Tensor, order: str, name: str) -> bool:
    """Return whether elements are taken with the first index changing fastest. ValueError for an unknown order."""
    if order not in ORDERS:
        raise ValueError(f"{name}(): order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order == "F" or (order == "A" and not x.is_contiguous() and reverse_axes(x).is_contiguous())


def complete_shape(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Return a shape with the length that is -1 computed. ValueError where none fits."""
    unknown = [i for i, length in enumerate(shape) if length < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(length for length in shape if length >= 0)
    if unknown and known and size % known == 0:
        return tuple(size // known if length < 0 else length for length in shape)
    if unknown or known != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return shape


def fits(x: Tensor, shape: tuple[int, ...]) -> bool:
    """Return whether a tensor broadcasts to a shape."""
    missing = len(shape) - x.ndim
    return missing >= 0 and all(n in (1, m) for n, m in zip(x.shape, shape[missing:], strict=True))


def expand_into(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a view with the shape of what it is written into: axes of length 1 in front may be too many."""
    extra = x.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in x.shape[:extra]):
        x = x.reshape(x.shape[extra:])
    if not fits(x, shape):
        raise ValueError(f"could not broadcast input array from shape {tuple(x.shape)} into shape {shape}")
    return x.expand(shape)


# ---- shapes


@implements("shape")
def shape(a: Any) -> tuple[int, ...]:
    """Return the shape, a tuple of ints."""
    return tuple(to_tensor(a, "shape").shape)


@implements("ndim")
def ndim(a: Any) -> int:
    """Return the number of axes."""
    return to_tensor(a, "ndim").ndim


@implements("size")
def size(a: Any, axis: Any = None) -> int:
    """Return the number of elements, or of those along axes."""
    x = to_tensor(a, "size")
    return math.prod(x.shape[i] for i in axis_list(axis, x.ndim))


@implements("reshape")
def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: Any = None) -> Tensor:
    """Return the elements in another shape: a view where strides allow it."""
    x = to_tensor(a, "reshape")
    shape = complete_shape(shape_tuple(shape), math.prod(x.shape))
    if order == "K":
        raise ValueError("order 'K' is not permitted for reshaping")
    if is_fortran(x, order, "reshape"):
        return reverse_axes(strided_reshape(reverse_axes(x), shape[::-1], copy))
    return strided_reshape(x, shape, copy)


def strided_reshape(x: Tensor, shape: tuple[int, ...], copy: Any) -> Tensor:
    """Return x in another shape, as a copy, a view (ValueError where none is possible) or whichever is possible."""
    if copy:
        return x.clone(memory_format=wg.contiguous_format).reshape(shape)
    if copy is None:
        return x.reshape(shape)
    try:
        return x.view(shape)
    except RuntimeError as err:
        raise ValueError("Unable to avoid creating a copy while reshaping.") from err


@implements("ravel")
def ravel(a: Any, order: str = "C") -> Tensor:
    """Return the elements on one axis: a view where strides allow it."""
    x = to_tensor(a, "ravel")
    if is_fortran(x, order, "ravel"):
        x = reverse_axes(x)
    if order == "K":
        strides = x.stride()
        x = x.permute(*sorted(range(x.ndim), key=lambda i: -strides[i]))
    return x.reshape(-1)


@implements("resize")
def resize(a: Any, new_shape: Any) -> Tensor:
    """Return the elements in another shape, repeated or cut where their number differs."""
    x = to_tensor(a, "resize").reshape(-1)
    shape = shape_tuple(new_shape)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    count, wanted = x.shape[0], math.prod(shape)
    if not count or not wanted:
        return x.new_zeros(shape)
    return x.repeat(-(-wanted // count))[:wanted].reshape(shape)


@implements("expand_dims")
def expand_dims(a: Any, axis: Any) -> Tensor:
    """Return a view with axes of length 1 at the positions ``axis`` of the result."""
    x = to_tensor(a, "expand_dims")
    if axis is None:
        raise TypeError("expand_dims(): argument 'axis' must be an int or a tuple of ints, not None")
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    for position in sorted(axis_list(axis, x.ndim + count)):
        x = x.unsqueeze(position)
    return x


@implements("squeeze")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Return a view without axes of length 1."""
    x = to_tensor(a, "squeeze")
    if axis is None:
        return x.squeeze()
    axes = axis_list(axis, x.ndim)
    if any(x.shape[i] != 1 for i in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return x.squeeze(tuple(axes)) if axes else x


def at_least(a: Any, dims: int, name: str) -> Tensor:
    """Return a tensor with at least this number of axes, which are added as NumPy adds them."""
    x = to_tensor(a, name)
    if x.ndim == 0:
        return x.reshape((1,) * dims)
    if x.ndim == 1 and dims > 1:
        x = x[None, :]
    return x[:, :, None] if x.ndim == 2 and dims == 3 else x


def at_least_result(a: Any, dims: int, name: str) -> Any:
    """Return an array with at least this number of axes; a tensor where a derivative would be lost.

    SciPy's optimizers pass what callbacks return through atleast_1d and hand it to C code, which takes arrays only.
    """
    if isinstance(a, Tensor) and (is_differentiable(a) or not has_array_memory(a)):
        return at_least(a, dims, name)
    return getattr(np, name)(a.numpy() if isinstance(a, Tensor) else a)


def has_array_memory(x: Tensor) -> bool:
    """Return whether an array can be made on a tensor's memory."""
    return x.device.type == "cpu" and x.layout is wg.strided and x.dtype is not wg.bfloat16


def at_least_results(arrays: tuple[Any, ...], dims: int, name: str) -> Any:
    """Return the result for one argument, the tuple of them for several."""
    results = tuple(at_least_result(one, dims, name) for one in arrays)
    return results[0] if len(results) == 1 else results


@implements("atleast_1d")
def atleast_1d(*arys: Any) -> Any:
    """Return arguments with at least one axis: arrays on the tensors' memory, tensors where they have a history."""
    return at_least_results(arys, 1, "atleast_1d")


@implements("atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    """Return arguments with at least two axes: arrays on the tensors' memory, tensors where they have a history."""
    return at_least_results(arys, 2, "atleast_2d")


@implements("atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """Return arguments with at least three axes: arrays on the tensors' memory, tensors where they have a history."""
    return at_least_results(arys, 3, "atleast_3d")


@implements("broadcast_to")
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Tensor:
    """Return a view with a larger shape. ValueError where it does not broadcast."""
    x, shape = to_tensor(array, "broadcast_to"), shape_tuple(shape)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of broadcast shape must be non-negative")
    if not fits(x, shape):
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{tuple(x.shape)} and requested shape {shape}"
        )
    return x.expand(shape)


@implements("broadcast_arrays")
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Tensor, ...]:
    """Return views of the arguments with their common shape."""
    tensors = [to_tensor(one, "broadcast_arrays") for one in args]
    shape = np.broadcast_shapes(*(tuple(t.shape) for t in tensors))
    return tuple(t.expand(shape) for t in tensors)


# ---- copies


@implements("copy")
def copy(a: Any, order: str = "K", subok: bool = False) -> Tensor:
    """Return a copy, which is recorded."""
    return to_tensor(a, "copy").clone()


@implements("astype")
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Return a copy in another dtype; the tensor itself with ``copy=False`` where it has that dtype."""
    t = to_tensor(x, "astype")
    result = t.to(to_dtype(dtype, "astype"))
    if device is not None:
        result = result.to(device)
    return result.clone() if copy and result is t else result
