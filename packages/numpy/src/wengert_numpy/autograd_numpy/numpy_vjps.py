"""HIPS autograd's ``numpy_vjps``: what rules of a program's own primitives are written with.

>>> import numpy as np
>>> unbroadcast(np.ones((3, 2)), metadata(np.ones((1, 2))))
array([[3., 3.]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy


def metadata(A: Any) -> tuple[tuple[int, ...], int, Any, bool]:
    """Return the shape, the number of axes, the dtype, and whether it is complex, of an array."""
    dtype = A.dtype if hasattr(A, "dtype") else numpy.asarray(A).dtype
    return tuple(numpy.shape(A)), numpy.ndim(A), dtype, dtype.kind == "c"


def unbroadcast(x: Any, target_meta: Any, broadcast_idx: int = 0) -> Any:
    """Return a cotangent, summed over the axes along which an operand was broadcast; real for a real operand.

    target_meta: metadata of the operand.   broadcast_idx: where axes were added.
    """
    shape, ndim, _, is_complex = target_meta
    while numpy.ndim(x) > ndim:
        x = numpy.sum(x, axis=broadcast_idx)
    for axis, size in enumerate(shape):
        if size == 1:
            x = numpy.sum(x, axis=axis, keepdims=True)
    return x if is_complex or numpy.result_type(x.dtype).kind != "c" else numpy.real(x)


def unbroadcast_f(target: Any, f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a rule whose cotangents have the shape of an operand."""
    target_meta = metadata(target)
    return lambda g: unbroadcast(f(g), target_meta)


def replace_zero(x: Any, val: Any) -> Any:
    """Return an array with another value in place of zeros."""
    return numpy.where(x != 0, x, val)


def balanced_eq(x: Any, z: Any, y: Any) -> Any:
    """Return the share that an operand has in a maximum z of x and y: 1, 0, or a half where both are equal."""
    return (x == z) / (1.0 + (x == y))


def match_complex(target: Any, x: Any) -> Any:
    """Return an array as complex or real numbers, as another one is."""
    wanted, given = metadata(target)[3], metadata(x)[3]
    if given and not wanted:
        return numpy.real(x)
    return x + 0j if wanted and not given else x


__all__ = ["balanced_eq", "match_complex", "metadata", "replace_zero", "unbroadcast", "unbroadcast_f"]
