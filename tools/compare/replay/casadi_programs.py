"""The scalar programs for CasADi: expressions of single numbers, run by its virtual machine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import benchmarks.replay_programs as programs
import casadi  # type: ignore[import-not-found,unused-ignore]  # a peer
import numpy as np

Call = Callable[[], Any]


def scalar_call(program: programs.ScalarProgram) -> Call:
    """Return a call of the compiled loss and gradient. Its arguments and results are memory that CasADi knows."""
    parameters, start = casadi.SX.sym("p", len(program.parameters)), casadi.SX.sym("s", len(program.start))
    symbols, state = casadi.vertsplit(parameters), tuple(casadi.vertsplit(start))
    for _ in range(program.steps):
        state = program.step(casadi, state, tuple(symbols))
    loss = program.loss(state, tuple(symbols))
    function = casadi.Function("program", [parameters, start], [loss, casadi.gradient(loss, parameters)])
    buffer, run = function.buffer()
    sizes = len(program.parameters), len(program.start), 1, len(program.parameters)
    memory: list[Any] = [np.zeros(size) for size in sizes]
    memory[0][:], memory[1][:] = program.parameters, program.start
    for i in range(2):
        buffer.set_arg(i, memoryview(memory[i]))
        buffer.set_res(i, memoryview(memory[2 + i]))

    def call(keep: Any = (function, buffer)) -> Any:  # to which the buffer's function has no reference
        run()
        return [memory[2][0], *memory[3]]

    return call


CALLS: dict[str, Callable[[], Call]] = {
    name: functools.partial(scalar_call, program) for name, program in programs.SCALARS.items()
}
