"""Vector spaces of values: what code that is written for HIPS autograd's ``vspace`` asks for."""

# ruff: noqa: NPY002 - a program that seeds NumPy's global generator seeds its checks of derivatives
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from wengert_numpy.autograd_numpy.containers import to_numpy
from wengert_numpy.autograd_numpy.nested import leaves_of, map_leaves, with_leaves


class VSpace:
    """The vector space of a value: an array, a number, or nested tuples, lists and dicts of them."""

    def __init__(self, value: Any) -> None:
        self.example = map_leaves(lambda leaf: numpy.asarray(to_numpy(leaf)), value)
        arrays = list(leaves_of(self.example))
        for array in arrays:
            if array.dtype.kind not in "fciub":
                raise TypeError(
                    f"Can't find vector space for value of type {type(value).__name__}: expected numbers, "
                    "arrays or nested tuples, lists and dicts of them"
                )
        self.size = sum(array.size * (2 if array.dtype.kind == "c" else 1) for array in arrays)
        self.iscomplex = any(array.dtype.kind == "c" for array in arrays)
        if len(arrays) == 1 and arrays[0] is self.example:
            self.shape, self.ndim, self.dtype = arrays[0].shape, arrays[0].ndim, arrays[0].dtype

    def fill(self, function: Callable[[Any], Any]) -> Any:
        """Return a value of the space with what a function gives for each array of the example."""
        return map_leaves(function, self.example)

    def zeros(self) -> Any:
        """Return the zero of the space."""
        return self.fill(numpy.zeros_like)

    def ones(self) -> Any:
        """Return ones."""
        return self.fill(numpy.ones_like)

    def randn(self) -> Any:
        """Return normally distributed random values."""
        return self.fill(random_like)

    def standard_basis(self) -> Iterator[Any]:
        """Yield the unit vectors, of complex numbers those along the imaginary axis as well."""
        arrays = list(leaves_of(self.example))
        for i, array in enumerate(arrays):
            for position in range(array.size):
                for value in (1.0, 1j) if array.dtype.kind == "c" else (1.0,):
                    unit = [numpy.zeros_like(one) for one in arrays]
                    unit[i].reshape(-1)[position] = value
                    yield with_leaves(self.example, iter(unit))

    def add(self, x: Any, y: Any) -> Any:
        """Return a sum."""
        return map_leaves(lambda a, b: a + b, x, y)

    def scalar_mul(self, x: Any, a: Any) -> Any:
        """Return a multiple."""
        return map_leaves(lambda leaf: leaf * a, x)

    def inner_prod(self, x: Any, y: Any) -> Any:
        """Return the real inner product."""
        pairs = zip(leaves_of(x), leaves_of(y), strict=True)
        return sum(numpy.real(numpy.sum(a * numpy.conj(b))) for a, b in pairs)

    def covector(self, x: Any) -> Any:
        """Return the complex conjugate."""
        return map_leaves(numpy.conj, x)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VSpace):
            return NotImplemented
        mine, others = list(leaves_of(self.example)), list(leaves_of(other.example))
        return len(mine) == len(others) and all(
            a.shape == b.shape and a.dtype == b.dtype for a, b in zip(mine, others, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"VSpace({self.example!r})"


def random_like(array: Any) -> Any:
    """Return normally distributed random values of an array's shape and dtype."""
    values = numpy.random.standard_normal(array.shape)
    if array.dtype.kind == "c":
        values = values + 1j * numpy.random.standard_normal(array.shape)
    return numpy.asarray(values, array.dtype)


def vspace(value: Any) -> VSpace:
    """Return the vector space of a value."""
    return VSpace(value)
