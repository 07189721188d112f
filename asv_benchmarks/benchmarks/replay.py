"""wengert-replay: captured programs and the same programs run eagerly, first calls, memory."""

from collections.abc import Callable

import wengert as wg

from .replay_programs import PROGRAMS


class Replay:
    """Programs, replayed and eager. tools/compare/replay times them beside other libraries."""

    params = tuple(PROGRAMS)
    param_names = ("program",)

    def setup(self, name: str) -> None:
        self.work = PROGRAMS[name](wg)
        self.captured = wg.capture(self.work.run)
        for _ in range(2):
            self.captured(*self.work.args)

    def time_replay(self, name: str) -> None:
        self.captured(*self.work.args)

    def time_eager(self, name: str) -> None:
        self.work.run(*self.work.args)

    def time_first_call(self, name: str) -> None:
        wg.capture(self.work.run)(*self.work.args)

    def track_bytes_of_values(self, name: str) -> int:
        return int(wg.replay.explain(self.captured).programs[-1].nbytes)

    track_bytes_of_values.unit = "bytes"  # type: ignore[attr-defined]  # asv reads it


class Calls:
    """The work around a program: a captured function of one operation, with few and many arguments and results."""

    params = (1, 8, 64)
    param_names = ("arguments",)

    def setup(self, count: int) -> None:
        self.args = [wg.ones(4) for _ in range(count)]
        self.captured = wg.capture(lambda *args: [one + 1 for one in args])
        for _ in range(2):
            self.captured(*self.args)

    def time_call(self, count: int) -> None:
        self.captured(*self.args)


class CallsBeforeBackward:
    """A recurrent cell, called many times before one backward: each call is a node of the graph."""

    params = (1, 10, 100)
    param_names = ("calls",)

    def setup(self, count: int) -> None:
        self.weight = (0.1 * wg.randn(32, 32)).requires_grad_()
        self.captured = wg.capture(self.cell)
        for _ in range(3):
            self.run(self.captured, count)

    def cell(self, h: wg.Tensor, x: wg.Tensor) -> wg.Tensor:
        z = (h @ self.weight + x).sigmoid()
        r = (h @ self.weight - x).sigmoid()
        n = ((r * h) @ self.weight + x).tanh()
        return (1 - z) * n + z * h

    def run(self, function: Callable[[wg.Tensor, wg.Tensor], wg.Tensor], count: int) -> None:
        h, x = wg.zeros(1, 32), wg.ones(1, 32)
        for _ in range(count):
            h = function(h, x)
        h.sum().backward()
        self.weight.grad = None

    def time_captured(self, count: int) -> None:
        self.run(self.captured, count)

    def time_eager(self, count: int) -> None:
        self.run(self.cell, count)

    def time_first_call_and_backward(self, count: int) -> None:
        self.run(wg.capture(self.cell), count)


class Loops:
    """The gradient of a recurrent network, whose loop is one instruction of its program."""

    params = (10, 100, 1000)
    param_names = ("rows",)

    def setup(self, count: int) -> None:
        self.weight = (0.1 * wg.randn(32, 32)).requires_grad_()
        self.args = wg.randn(count, 32), wg.zeros(32)
        self.captured = wg.capture(self.gradient)
        for _ in range(2):
            self.captured(*self.args)

    def gradient(self, xs: wg.Tensor, h: wg.Tensor) -> wg.Tensor:
        _, ys = wg.func.scan(lambda h, x: (wg.tanh(h @ self.weight + x),) * 2, h, xs)
        return wg.autograd.grad((ys * ys).sum(), self.weight)[0]

    def time_replay(self, count: int) -> None:
        self.captured(*self.args)

    def time_eager(self, count: int) -> None:
        self.gradient(*self.args)

    def track_bytes_of_instructions(self, count: int) -> int:
        return int(wg.replay.explain(self.captured).programs[-1].counts().instruction_bytes)

    track_bytes_of_instructions.unit = "bytes"  # type: ignore[attr-defined]  # asv reads it
