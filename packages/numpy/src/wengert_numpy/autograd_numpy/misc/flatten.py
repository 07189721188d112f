"""Nested containers as one vector, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.faces import as_array
from wengert_numpy.autograd_numpy.containers import call_plain, to_plain
from wengert_numpy.autograd_numpy.nested import leaves_of, with_leaves
from wengert_numpy.operands import promote


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the vector of all numbers in nested tuples, lists and dicts of arrays and numbers, and the function that
    makes such containers of a vector. Of a dict, in the order of its sorted keys.

    >>> vector, unflatten = flatten({"b": 3.0, "a": [numpy.zeros(2)]})
    >>> vector, unflatten(vector)
    (array([0., 0., 3.]), {'b': np.float64(3.0), 'a': [array([0., 0.])]})
    """
    leaves = leaves_of(value)
    shapes = [tuple(numpy.shape(leaf)) for leaf in leaves]
    dtypes = [numpy.result_type(leaf.dtype if hasattr(leaf, "dtype") else leaf) for leaf in leaves]
    sizes = [int(numpy.prod(shape)) for shape in shapes]

    def unflatten(vector: Any) -> Any:
        parts, start = [], 0
        for shape, size, dtype in zip(shapes, sizes, dtypes, strict=True):
            part = vector[start : start + size].reshape(shape)
            if not isinstance(part, Tensor):
                part = part.astype(dtype) if numpy.can_cast(part.dtype, dtype, "same_kind") else part.copy()
            parts.append(part if shape or isinstance(part, Tensor) else part[()])
            start += size
        if start != len(vector):
            raise ValueError(f"unflatten: expected a vector of {start} numbers, got {len(vector)}")
        return with_leaves(value, iter(parts))

    return vector_of(leaves), unflatten


def vector_of(leaves: list[Any]) -> Any:
    """Return the numbers of arrays, one array after the other."""
    if not leaves:
        return numpy.array([])
    if any(isinstance(leaf, Tensor) for leaf in leaves):
        return as_array(call_plain(lambda: wg.cat(promote(*(to_plain(leaf).reshape(-1) for leaf in leaves)))))
    return numpy.concatenate([numpy.ravel(leaf) for leaf in leaves])


def flatten_func(func: Callable[..., Any], example: Any) -> tuple[Any, Any, Any]:
    """Return a function of vectors for one of containers, the inverse of flatten for its argument, and the vector of
    the example.
    """
    vector, unflatten = flatten(example)

    def of_vector(x: Any, *args: Any, **kwargs: Any) -> Any:
        return flatten(func(unflatten(x), *args, **kwargs))[0]

    return of_vector, unflatten, vector
