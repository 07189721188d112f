"""The programs on many numbers for numexpr. It has no gradients: the formulas are derived by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import benchmarks.replay_programs as programs
import numexpr  # type: ignore[import-not-found,unused-ignore]  # a peer
import numpy as np

Call = Callable[[], Any]
numexpr.set_num_threads(1)


def chain() -> Call:
    names = {"x": programs.uniform(programs.SIZE), "a": np.float32(0.5), "b": np.float32(0.1)}

    def call() -> Any:
        loss = numexpr.evaluate("exp(tanh(x * a + b))", names).sum()  # its own sum is wrong in the second digit
        return [loss, numexpr.evaluate("exp(tanh(x * a + b)) * (a - a * tanh(x * a + b) * tanh(x * a + b))", names)]

    return call


def broadcast_inputs() -> dict[str, Any]:
    rows, columns = programs.ROWS, programs.COLUMNS
    shapes = {"m": (rows, columns), "row": (columns,), "column": (rows, 1)}
    return {name: programs.uniform(*shape) for name, shape in shapes.items()}


def broadcast() -> Call:
    names = broadcast_inputs()
    return lambda: [numexpr.evaluate("m * row + column", names)]


CALLS: dict[str, Callable[[], Call]] = {"chain of 10^7, gradient": chain, "broadcast of 4000 x 2500": broadcast}
