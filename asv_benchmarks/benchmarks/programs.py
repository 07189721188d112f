"""Programs to be timed, written once against a module `xp` with torch's names: wengert, or PyTorch beside it.

Their inputs come from NumPy with a fixed seed, so all modules compute the same numbers.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "docs" / "examples" / "data"
DEPTH = 200  # of the chain of custom functions


def numbers(*shape: int, seed: int = 0) -> Any:
    """float32 between 0.1 and 0.9."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(np.float32)


def tensors(xp: Any, *shape: int) -> dict[str, Any]:
    """x and w require gradients, y and z do not; all of one shape."""
    names = {name: xp.tensor(numbers(*shape, seed=seed)) for seed, name in enumerate("xwyz")}
    for name in "xw":
        names[name].requires_grad_()
    return names


def resident() -> int:
    """Bytes of this process in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


def node_bytes(xp: Any, nodes: int) -> float:
    """Resident bytes that each recorded `y = y * 1.000001` of a one-element tensor adds."""
    y = chain(lambda y: y * 1.000001, xp.ones(1, requires_grad=True), 1000)
    before = resident()
    for _ in range(nodes):
        y = y * 1.000001
    return (resident() - before) / nodes


def chain(step: Callable[[Any], Any], start: Any, length: int) -> Any:
    """step(step(...step(start)))."""
    for _ in range(length):
        start = step(start)
    return start


def hundred_times(op: Callable[..., Any], *arguments: Any) -> None:
    """Call op, dropping its results: so asv's own calls, of half a microsecond, do not count."""
    for _ in range(100):
        op(*arguments)


def sine_function(xp: Any) -> Any:
    """A custom Function with one saved tensor: sin."""

    class Sine(xp.autograd.Function):  # type: ignore[misc]  # xp is only known when this runs
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * x.cos()

    return Sine


class FunctionChain:
    """DEPTH custom functions on 16 elements, there and back."""

    def __init__(self, xp: Any) -> None:
        self.apply = sine_function(xp).apply
        self.x, self.one = tensors(xp, 16)["x"], xp.ones(16)

    def __call__(self) -> Any:
        self.x.grad = None
        chain(self.apply, self.x, DEPTH).backward(self.one)
        return self.x.grad


class LargeChain:
    """mul, add, tanh, exp and sum of many float32 numbers, forward and backward."""

    def __init__(self, xp: Any, size: int, scalars: bool) -> None:
        self.x = xp.tensor(numbers(size)).requires_grad_()
        self.factor, self.term = [0.5, 0.1] if scalars else [xp.tensor(numbers(size, seed=s)) for s in (1, 2)]

    def __call__(self) -> Any:
        self.x.grad = None
        loss = (self.x * self.factor + self.term).tanh().exp().sum()
        loss.backward()
        return self.x.grad


class NumpyLargeChain:
    """The same program with its derivative written by hand."""

    def __init__(self, size: int, scalars: bool) -> None:
        self.x = numbers(size)
        self.factor, self.term = [0.5, 0.1] if scalars else [numbers(size, seed=s) for s in (1, 2)]

    def __call__(self) -> Any:
        tanh = np.tanh(self.x * self.factor + self.term)
        exp = np.exp(tanh)
        exp.sum()
        return exp * (1 - tanh * tanh) * self.factor


class DigitsStep:
    """One training step of docs/examples/digits.py: 64 images, 64 -> 128 -> 10, momentum SGD in place."""

    def __init__(self, xp: Any) -> None:
        rng = np.random.default_rng(0)
        with np.load(DATA / "digits.npz") as data:
            pixels = data["images"][:64].reshape(64, 64).astype(np.float32) / 16
            self.labels = xp.tensor(data["labels"][:64].astype(np.int64))
        weights = [rng.standard_normal(shape).astype(np.float32) / shape[1] ** 0.5 for shape in ((128, 64), (10, 128))]
        arrays = weights[0], np.zeros(128, np.float32), weights[1], np.zeros(10, np.float32)
        self.xp, self.pixels = xp, xp.tensor(pixels)
        self.parameters = [xp.tensor(array).requires_grad_() for array in arrays]
        self.velocities = [xp.zeros_like(p) for p in self.parameters]

    def __call__(self) -> Any:
        functional = self.xp.nn.functional
        weight1, bias1, weight2, bias2 = self.parameters
        hidden = functional.relu(functional.linear(self.pixels, weight1, bias1))
        loss = functional.cross_entropy(functional.linear(hidden, weight2, bias2), self.labels)
        loss.backward()
        with self.xp.no_grad():
            for parameter, velocity in zip(self.parameters, self.velocities, strict=True):
                velocity.mul_(0.9).add_(parameter.grad)
                parameter.sub_(velocity, alpha=0.01)
                parameter.grad = None
        return loss.detach()


class PredatorPrey:
    """Loss and gradient of docs/examples/lotka_volterra.py: 160 Runge-Kutta steps on single float64 numbers."""

    STEPS = 8  # in a year

    def __init__(self, xp: Any) -> None:
        pelts = np.loadtxt(DATA / "hudson_bay_pelts.csv", delimiter=",", skiprows=1)[:, [2, 1]]  # year, lynx, hare
        self.xp, self.log_pelts = xp, xp.tensor(np.log(pelts), dtype=xp.float64)
        start = np.log([0.55, 0.028, 0.8, 0.024, 34.0, 5.9])
        self.parameters = [xp.tensor(value, dtype=xp.float64).requires_grad_() for value in start.tolist()]

    def step(self, hare: Any, lynx: Any, rates: list[Any], h: float) -> tuple[Any, Any]:
        """One step of the classical Runge-Kutta method of order 4."""
        alpha, beta, gamma, delta = rates

        def slopes(hare: Any, lynx: Any) -> tuple[Any, Any]:
            return hare * (alpha - beta * lynx), lynx * (delta * hare - gamma)

        u1, v1 = slopes(hare, lynx)
        u2, v2 = slopes(hare + u1 * (h / 2), lynx + v1 * (h / 2))
        u3, v3 = slopes(hare + u2 * (h / 2), lynx + v2 * (h / 2))
        u4, v4 = slopes(hare + u3 * h, lynx + v3 * h)
        return hare + (u1 + 2 * (u2 + u3) + u4) * (h / 6), lynx + (v1 + 2 * (v2 + v3) + v4) * (h / 6)

    def loss(self) -> Any:
        """Mean square difference of the logarithms of model and data."""
        *rates, hare, lynx = [p.exp() for p in self.parameters]
        path = [hare, lynx]
        for _ in range((len(self.log_pelts) - 1) * self.STEPS):
            hare, lynx = self.step(hare, lynx, rates, 1 / self.STEPS)
            path += [hare, lynx]
        model = self.xp.stack(path).reshape(-1, 2)[:: self.STEPS]
        return ((model.log() - self.log_pelts) ** 2).mean()

    def __call__(self) -> Any:
        for parameter in self.parameters:
            parameter.grad = None
        self.loss().backward()
        return self.xp.stack([p.grad for p in self.parameters])
