"""Pointwise ops, reductions and matmul on few numbers: what an op costs besides its arithmetic."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg

from .programs import hundred_times, numbers, tensors

OPS: dict[str, Callable[[Any, Any], tuple[Any, ...]]] = {
    "add": lambda x, y: (operator.add, x, y),
    "add_number": lambda x, y: (operator.add, x, 1.5),
    "mul": lambda x, y: (operator.mul, x, y),
    "mul_number": lambda x, y: (operator.mul, x, 1.5),
    "exp": lambda x, y: (wg.exp, x),
    "where": lambda x, y: (wg.where, x > y, x, y),
}
"""An op and its arguments: called without a function in Python between."""


class Pointwise:
    """A hundred calls of each op, with and without recording."""

    params = (list(OPS), [1, 4, 16], ["recorded", "unrecorded"])
    param_names = ("op", "elements", "mode")

    def setup(self, op: str, elements: int, mode: str) -> None:
        names = tensors(wg, elements)
        self.call = OPS[op](names["x" if mode == "recorded" else "z"], names["y"])
        self.time_forward(op, elements, mode)  # the first recorded op of a process loads the formulas

    def time_forward(self, op: str, elements: int, mode: str) -> None:
        hundred_times(*self.call)


class Inplace:
    """What an optimizer does: in-place ops on 16 elements under no_grad."""

    def setup(self) -> None:
        names = tensors(wg, 16)
        self.y, self.z = names["y"], names["z"]

    def time_mul_add(self) -> None:
        self.y.mul_(0.9).add_(self.z)

    def time_no_grad(self) -> None:
        with wg.no_grad():
            pass


class Reductions:
    """Of an 8 x 8 tensor that requires gradients."""

    params = ("sum", "mean", "amax", "logsumexp", "var", "norm", "argmax")
    param_names = ("op",)

    def setup(self, op: str) -> None:
        self.x = tensors(wg, 8, 8)["x"]
        self.op = getattr(wg, op)
        self.time_all(op)

    def time_all(self, op: str) -> None:
        self.op(self.x) if op != "logsumexp" else self.op(self.x, (0, 1))

    def time_rows(self, op: str) -> None:
        self.op(self.x, dim=1)


class Products:
    """8 x 8 matrices."""

    params = ("recorded", "unrecorded")
    param_names = ("mode",)

    def setup(self, mode: str) -> None:
        names = tensors(wg, 8, 8)
        self.x, self.y = names["x" if mode == "recorded" else "z"], names["y"]
        self.time_matmul(mode)

    def time_matmul(self, mode: str) -> None:
        self.x @ self.y

    def time_linear(self, mode: str) -> None:
        wg.nn.functional.linear(self.x, self.y)


def nanoseconds(function: Any, loops: int = 2000, rounds: int = 15) -> list[float]:
    """Of each round, for one call."""
    from timeit import repeat

    return [1e9 * seconds / loops for seconds in repeat(function, number=loops, repeat=rounds)]


def track_mul_over_numpy() -> float:
    """A recorded mul of 16 elements over NumPy's, in one run: the machine's noise falls out of the quotient."""
    names, x, y = tensors(wg, 16), numbers(16), numbers(16, seed=1)
    a, b = names["x"], names["y"]
    return float(np.median(nanoseconds(lambda: a * b)) / np.median(nanoseconds(lambda: x * y)))


track_mul_over_numpy.unit = "wengert's time over NumPy's"  # type: ignore[attr-defined]  # asv's way
