"""Fused kernels of the simulated device: an expression, interpreted with the references of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from wengert_core.extend import FusedExpression, find_op, step_reference

from wengert_testing.sim.arrays import SimArray, quietly, read_contents

DTYPES = {"f": np.float32, "d": np.float64}


class PointwiseOps:
    """The names of all steps, as a container."""

    def __contains__(self, name: object) -> bool:
        return find_op(str(name).partition(" ")[0]).family == "pointwise"


class SimKernel:
    """A fused kernel of the simulated device."""

    def __init__(self, plugin: Any, expression: FusedExpression) -> None:
        self.plugin, self.expression = plugin, expression

    def __call__(
        self, index: int, n: int, inputs: Sequence[SimArray], numbers: Sequence[float], outputs: Sequence[SimArray]
    ) -> None:
        """Queue the kernel on the current stream."""
        what = "fused " + " ".join(step.op for step in self.expression.steps)
        stream = self.plugin.current_stream(index)
        given, results = [one._data for one in inputs], [one._data for one in outputs]
        stamp = stream.launch(what)
        self.plugin.fused_kernels.append(self.expression)
        if stream.capture is not None:
            stream.capture.add(what, list(inputs), list(outputs), lambda: self.compute(n, given, numbers, results))
            return
        contents = [read_contents(one, stamp) for one in inputs]
        for one in outputs:
            one._block.write_by(stamp)
        self.compute(n, contents, numbers, results)

    def compute(self, n: int, inputs: list[Any], numbers: Sequence[float], outputs: list[Any]) -> None:
        """Compute all steps, then write the outputs, as the threads of a kernel do together."""
        number = DTYPES[self.expression.dtype]
        with np.errstate(over="ignore"):
            values = {"input": inputs, "number": [number(one) for one in numbers], "step": []}
        for step in self.expression.steps:
            arguments = [values[kind][k] for kind, k in step.operands]
            values["step"].append(compute_step(step.op, arguments, n, number))
        for step_number, target in zip(self.expression.outputs, outputs, strict=True):
            target[...] = values["step"][step_number]


def compute_step(name: str, arguments: list[Any], n: int, number: Any) -> Any:
    """The n results of an operation, in an array of one dim."""
    arrays = [one for one in arguments if isinstance(one, np.ndarray) and one.size == n]
    shapes = {one.shape for one in arrays} - {(n,)}
    shape = shapes.pop() if len(shapes) == 1 else (n,)  # as it lies in memory, which NumPy's loops may look at
    given = [one.reshape(shape) if isinstance(one, np.ndarray) and one.size == n else one[()] for one in arguments]
    found = quietly(step_reference(name), (np, *given), {})
    return np.broadcast_to(np.asarray(found, number), shape).reshape(n)
