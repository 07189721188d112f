"""Backward through chains: every run builds its chain anew, untimed, so one run is one sample."""

from collections.abc import Callable
from typing import Any

import wengert as wg

from .programs import DEPTH, FunctionChain, chain, numbers, sine_function, tensors

NODES = 1000
STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda y, z: y + z,
    "mul": lambda y, z: y * z,
    "mul_number": lambda y, z: y * 1.001,
    "sin": lambda y, z: y.sin(),
    "select": lambda y, z: y[None][0],
}


class Chain:
    """A chain of 1000 ops on 16 elements (select: of 2000): backward, and freeing the graph."""

    params = tuple(STEPS)
    param_names = ("op",)
    number, repeat, warmup_time = 1, (20, 200, 2.0), 0.0

    def setup(self, op: str) -> None:
        self.x = tensors(wg, 16)["x"]
        z, step = wg.tensor(1 + numbers(16) / 1000), STEPS[op]
        self.y = chain(lambda y: step(y, z), self.x, NODES)
        self.one = wg.ones(16)

    def time_backward(self, op: str) -> None:
        self.y.backward(self.one)

    def time_free(self, op: str) -> None:
        del self.y


class Grad:
    """autograd.grad of a small program, once and twice."""

    def setup(self) -> None:
        self.x = tensors(wg, 16)["x"]
        self.time_grad()

    def loss(self) -> Any:
        return (self.x * self.x).tanh().sum()

    def time_grad(self) -> None:
        wg.autograd.grad(self.loss(), self.x)

    def time_grad_of_grad(self) -> None:
        (first,) = wg.autograd.grad(self.loss(), self.x, create_graph=True)
        wg.autograd.grad(first.sum(), self.x)


class CustomFunction:
    """Function with one saved tensor."""

    def setup(self) -> None:
        self.program, self.x, self.apply = FunctionChain(wg), tensors(wg, 16)["x"], sine_function(wg).apply
        self.program()

    def time_chain(self) -> None:
        self.program()

    def time_apply(self) -> None:
        self.apply(self.x)


CustomFunction.time_chain.pretty_name = f"chain of {DEPTH} Functions there and back"  # type: ignore[attr-defined]
