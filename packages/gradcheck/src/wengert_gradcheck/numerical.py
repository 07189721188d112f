"""Central differences, element by element, without copies: one number of an input is moved where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_gradcheck.errors import Array
from wengert_gradcheck.subject import Subject, array_of, has_array, tensor_of

ACCUMULATE = {wc.float16: wc.float64, wc.bfloat16: wc.float64, wc.float32: wc.float64, wc.complex64: wc.complex128}
"""Differences are computed in double precision; the outputs keep the digits they have."""


class Elements:
    """The numbers of a tensor, read and moved in place by their flat index. No version is counted."""

    read: Callable[[int], complex]
    write: Callable[[int, complex], None]

    def __init__(self, x: Tensor) -> None:
        self.shape = tuple(x.shape)
        if not has_array(x):
            self.tensor = x.data
            self.read, self.write = self.read_tensor, self.write_tensor
            return
        array = x.detach().numpy()
        whole = array.reshape(-1)
        self.read = array.item
        self.write = (whole if np.shares_memory(whole, array) else array.flat).__setitem__

    def read_tensor(self, i: int) -> complex:
        """The number at a flat index, of a dtype that NumPy does not have, or on a device."""
        number = self.tensor[self.at(i)].item()
        return number if isinstance(number, complex) else float(number)

    def write_tensor(self, i: int, value: complex) -> None:
        """Put a number at a flat index."""
        self.tensor[self.at(i)] = value

    def at(self, i: int) -> tuple[int, ...]:
        """The index of an element."""
        return tuple(map(int, np.unravel_index(i, self.shape)))


def results(subject: Subject, positions: Sequence[int]) -> list[Tensor]:
    """The checked outputs of one call, detached."""
    outputs = subject.func(*subject.args)
    return [outputs.detach()] if isinstance(outputs, Tensor) else [outputs[i].detach() for i in positions]


def rows(count: int, likes: Sequence[Tensor]) -> list[Tensor]:
    """For each output a tensor with room for ``count`` results."""
    return [y.new_empty((count, *y.shape), dtype=ACCUMULATE.get(y.dtype, y.dtype)) for y in likes]


def jacobian(subject: Subject, x: Tensor, likes: Sequence[Tensor], positions: Sequence[int], eps: float,
             step: complex, done: Callable[[], Any]) -> list[Array]:
    """d output / d x along ``step`` (1, or 1j for the imaginary parts): for each output an array with a row for each
    element of x and a column for each element of the output.
    """
    n, move = x.numel(), eps * step
    elements, above, below = Elements(x), rows(n, likes), rows(n, likes)
    read, write, func, args = elements.read, elements.write, subject.func, subject.args
    single = len(likes) == 1  # the usual case has a shorter way
    for i, ups, downs in zip(range(n), in_rows(above, n), in_rows(below, n), strict=True):
        old = read(i)
        try:
            for moved, targets in ((old + move, ups), (old - move, downs)):
                write(i, moved)
                if single:
                    result = func(*args)
                    found = [(result if isinstance(result, Tensor) else result[positions[0]]).detach()]
                else:
                    found = results(subject, positions)
                for target, numbers, like in zip(targets, found, likes, strict=True):
                    if numbers.shape != target.shape or numbers.dtype is not like.dtype:
                        write(i, old - move)
                        below_it = results(subject, positions)
                        write(i, old + move)
                        check_same(below_it, results(subject, positions), eps, f" on index {elements.at(i)}")
                    target.copy_(numbers)
        finally:
            write(i, old)
        done()
    return [slope(array_of(a), array_of(b), eps).reshape(n, y.numel())
            for a, b, y in zip(above, below, likes, strict=True)]


def check_same(below: Sequence[Tensor], above: Sequence[Tensor], eps: float, where: str = "") -> None:
    """AssertionError where an output has another shape or dtype on the other side of the inputs."""
    for a, b in zip(below, above, strict=True):
        for name, one, other in (("shape", repr(a.shape), repr(b.shape)), ("dtype", repr(a.dtype), repr(b.dtype))):
            if one != other:
                raise AssertionError(f"Expected `func` to return outputs with the same {name} when inputs are perturbed"
                                     f"{where} by {eps}, but got: {name}s {one} and {other}.")


def in_rows(tensors: Sequence[Tensor], n: int) -> Iterator[tuple[Tensor, ...]]:
    """The n rows of some tensors together."""
    return zip(*[tensor.unbind(0) for tensor in tensors], strict=True) if n else iter(())


def slope(above: Array, below: Array, eps: float) -> Array:
    """The central difference; computed in ``above``."""
    with np.errstate(invalid="ignore"):
        above -= below
        above /= 2 * eps
    return above


def directional_derivatives(
    subject: Subject, x: Tensor, direction: Array, positions: Sequence[int], eps: float
) -> list[Array]:
    """The derivative of each output along a direction of x, flat."""
    array = x.detach().numpy() if has_array(x) else x.data
    old = array.clone() if isinstance(array, Tensor) else array.copy()
    move = eps * direction.reshape(tuple(x.shape))
    sides: list[list[Array]] = []
    outputs: list[list[Tensor]] = []
    try:
        for sign in (1, -1):
            moved = old + (tensor_of(sign * move, old) if isinstance(old, Tensor) else sign * move)
            array[...] = moved
            outputs.append(results(subject, positions))
            sides.append([array_of(y.to(ACCUMULATE.get(y.dtype, y.dtype), copy=True)) for y in outputs[-1]])
    finally:
        array[...] = old
    check_same(outputs[1], outputs[0], eps)
    return [slope(a, b, eps).reshape(-1) for a, b in zip(*sides, strict=True)]
