"""Central differences, element by element, without copies: one number of an input is moved where it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_gradcheck.errors import Array
from wengert_gradcheck.subject import Subject, array_of

ACCUMULATE = {np.dtype(np.float16): np.dtype(np.float64), np.dtype(np.float32): np.dtype(np.float64),
              np.dtype(np.complex64): np.dtype(np.complex128)}
"""Differences are computed in double precision; the outputs keep the digits they have."""


class Elements:
    """The numbers of a tensor, read and moved in place by their flat index. No version is counted."""

    def __init__(self, x: Tensor) -> None:
        x = x.detach()
        self.bfloat16 = x.dtype is wc.bfloat16
        self.array: Any = x if self.bfloat16 else x.numpy()
        self.flat: Any = getattr(self.array, "flat", None)
        self.shape = tuple(x.shape)

    def read(self, i: int) -> complex:
        """The number at a flat index."""
        if self.bfloat16:
            return float(self.array[np.unravel_index(i, self.shape)].item())
        return complex_or_float(self.array.item(i))

    def write(self, i: int, value: complex) -> None:
        """Put a number at a flat index."""
        if self.bfloat16:
            self.array[tuple(map(int, np.unravel_index(i, self.shape)))] = value
        else:
            self.flat[i] = value


def complex_or_float(value: Any) -> complex:
    """What ndarray.item gives for numbers that are differentiable."""
    return value  # type: ignore[no-any-return]


def results(subject: Subject, places: Sequence[int]) -> list[Array]:
    """The checked outputs of one call, as arrays."""
    outputs = subject.func(*subject.args)
    if isinstance(outputs, Tensor):
        return [array_of(outputs)]
    return [array_of(outputs[i]) for i in places]


def rows(count: int, likes: Sequence[Tensor]) -> list[Array]:
    """For each output an array with ``count`` results."""
    arrays = [array_of(y) for y in likes]
    return [np.empty((count, *a.shape), ACCUMULATE.get(a.dtype, a.dtype)) for a in arrays]


def jacobian(subject: Subject, x: Tensor, likes: Sequence[Tensor], places: Sequence[int], eps: float,
             step: complex, done: Callable[[], Any]) -> list[Array]:
    """d output / d x along ``step`` (1, or 1j for the imaginary parts): for each output an array with a row for each
    element of x and a column for each element of the output.
    """
    n, move = x.numel(), eps * step
    elements, above, below = Elements(x), rows(n, likes), rows(n, likes)
    func, args, several = subject.func, subject.args, not is_single(likes)
    write = elements.write if elements.bfloat16 else elements.flat.__setitem__
    sides = ((move, above), (-move, below))
    for i in range(n):
        old = elements.read(i)
        try:
            for change, target in sides:
                write(i, old + change)
                if several:
                    for row, numbers in zip(target, results(subject, places), strict=True):
                        row[i] = numbers
                else:
                    result = func(*args)
                    target[0][i] = array_of(result if isinstance(result, Tensor) else result[places[0]])
        finally:
            write(i, old)
        done()
    return [slope(a, b, eps).reshape(n, y.numel()) for a, b, y in zip(above, below, likes, strict=True)]


def is_single(likes: Sequence[Tensor]) -> bool:
    """One checked output: the usual case has a shorter way."""
    return len(likes) == 1


def slope(above: Array, below: Array, eps: float) -> Array:
    """The central difference; computed in ``above``."""
    with np.errstate(invalid="ignore"):
        above -= below
        above /= 2 * eps
    return above


def along(subject: Subject, x: Tensor, direction: Array, places: Sequence[int], eps: float) -> list[Array]:
    """The derivative of each output along a direction of x, flat."""
    array = x.detach() if x.dtype is wc.bfloat16 else x.detach().numpy()
    old = array.clone() if isinstance(array, Tensor) else array.copy()
    move = eps * direction.reshape(tuple(x.shape))
    sides = []
    try:
        for sign in (1, -1):
            moved = old + (wc.tensor(sign * move).to(old.dtype) if isinstance(old, Tensor) else sign * move)
            array[...] = moved
            sides.append([np.array(y, ACCUMULATE.get(y.dtype, y.dtype)) for y in results(subject, places)])
    finally:
        array[...] = old
    return [slope(a, b, eps).reshape(-1) for a, b in zip(*sides, strict=True)]
