"""``wengert.numpy.random``: NumPy's functions. Locations, scales and what is shuffled may be tensors.

>>> import numpy as np, wengert as wg
>>> normal(np.zeros(2), 1.0).shape, normal(wg.zeros(2), 1.0).shape
((2,), (2,))
"""

# ruff: noqa: NPY002 - these are the functions of NumPy's global generator
from __future__ import annotations

from functools import wraps
from typing import Any

import numpy
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.faces import as_array
from wengert_numpy.autograd_numpy.containers import call_plain, to_plain

globals().update({name: getattr(numpy.random, name) for name in numpy.random.__all__})


def __getattr__(name: str) -> Any:
    return getattr(numpy.random, name)


def is_tensor(*values: Any) -> bool:
    """Return whether one of the values is a tensor."""
    return any(isinstance(value, Tensor) for value in values)


def sample(plain: Any, loc: Any, scale: Any, size: Any) -> Any:
    """Return loc + scale * a sample of the standard distribution, by which derivatives are taken."""
    shape = numpy.broadcast_shapes(numpy.shape(loc), numpy.shape(scale)) if size is None else size
    standard = numpy.asarray(plain(size=shape))
    return loc + scale * as_array(to_plain(standard))


def location_scale(name: str, scaled_only: bool = False) -> Any:
    """Return a function for samples of a family of distributions that differ in location and scale."""
    plain = getattr(numpy.random, name)

    @wraps(plain)
    def of_scale(scale: Any = 1.0, size: Any = None) -> Any:
        return sample(plain, 0.0, scale, size) if is_tensor(scale) else plain(scale, size)

    @wraps(plain)
    def of_location(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return sample(plain, loc, scale, size) if is_tensor(loc, scale) else plain(loc, scale, size)

    return of_scale if scaled_only else of_location


normal, laplace, logistic, gumbel = map(location_scale, ("normal", "laplace", "logistic", "gumbel"))
exponential = location_scale("exponential", scaled_only=True)


@wraps(numpy.random.uniform)
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Return samples of the uniform distribution."""
    if not is_tensor(low, high):
        return numpy.random.uniform(low, high, size)
    return sample(numpy.random.uniform, low, high - low, size)


@wraps(numpy.random.permutation)
def permutation(x: Any) -> Any:
    """Return the rows in random order."""
    return (
        x[numpy.random.permutation(len(x))]
        if is_tensor(x) and call_plain(getattr, x, "ndim")
        else numpy.random.permutation(x)
    )


@wraps(numpy.random.choice)
def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Return random rows."""
    if not is_tensor(a) or not call_plain(getattr, a, "ndim"):
        return numpy.random.choice(a, size, replace, p)
    return a[numpy.random.choice(len(a), size, replace, p)]


__all__ = list(numpy.random.__all__)
