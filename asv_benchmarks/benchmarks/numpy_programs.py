"""Programs for HIPS autograd, written once against a module ``xp`` with NumPy's names: wengert.numpy, autograd.numpy or
jax.numpy. Sizes are those of HIPS autograd's examples, or smaller: most operations take less time than their recording.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

Loss = Callable[[Any], Any]
Program = Callable[[Any], tuple[Loss, list[Any]]]
"""Gives, for a module, a function of a list of arrays, and the arrays."""


def normal(*shape: int, scale: float = 0.3, seed: int = 0) -> Any:
    """Return normal numbers, float64."""
    return scale * np.random.default_rng(seed).normal(size=shape)


def logistic_regression(xp: Any) -> tuple[Loss, list[Any]]:
    """Return the training loss of four examples with three features."""
    inputs, targets = normal(4, 3), np.array([1.0, 1.0, 0.0, 1.0])

    def loss(parameters: Any) -> Any:
        predictions = 0.5 * (xp.tanh(xp.dot(inputs, parameters[0]) / 2.0) + 1.0)
        return -xp.sum(xp.log(predictions * targets + (1.0 - predictions) * (1.0 - targets)))

    return loss, [normal(3, seed=1)]


def layers(*sizes: int) -> list[Any]:
    """Return weights and biases, one after the other."""
    return [part for i, (m, n) in enumerate(pairwise(sizes)) for part in (normal(m, n, seed=i), np.zeros(n))]


def neural_net(xp: Any, batch: int, *sizes: int) -> tuple[Loss, list[Any]]:
    """Return the negative log likelihood of classes, of a network with tanh between the layers."""
    inputs = normal(batch, sizes[0], scale=1.0, seed=9)
    targets = np.eye(sizes[-1])[np.arange(batch) % sizes[-1]]

    def loss(parameters: Any) -> Any:
        values = inputs
        for i in range(0, len(parameters), 2):
            scores = xp.dot(values, parameters[i]) + parameters[i + 1]
            values = xp.tanh(scores)
        normalizers = xp.log(xp.sum(xp.exp(scores), axis=1, keepdims=True))
        return xp.sum((normalizers - scores) * targets) / batch

    return loss, layers(*sizes)


def rnn(xp: Any, batch: int = 17, letters: int = 64, states: int = 40, length: int = 30) -> tuple[Loss, list[Any]]:
    """Return the negative log likelihood of the next letters, of a recurrent network."""
    text = np.random.default_rng(0).integers(letters, size=(length + 1, batch))
    rows = np.eye(letters)[text]

    def loss(parameters: Any) -> Any:
        of_input, of_state, bias, of_output, output_bias = parameters
        state, total = np.zeros((batch, states)), 0.0
        for i in range(length):
            state = xp.tanh(xp.dot(rows[i], of_input) + xp.dot(state, of_state) + bias)
            scores = xp.dot(state, of_output) + output_bias
            normalizers = xp.log(xp.sum(xp.exp(scores), axis=1, keepdims=True))
            total = total + xp.sum((normalizers - scores) * rows[i + 1])
        return total / (batch * length)

    shapes = (letters, states), (states, states), (states,), (states, letters), (letters,)
    return loss, [normal(*shape, seed=i) for i, shape in enumerate(shapes)]


def fluid(xp: Any, grid: int = 20, steps: int = 8, sweeps: int = 6) -> tuple[Loss, list[Any]]:
    """Return the difference between smoke in a simulated flow and a picture."""
    cell_x, cell_y = np.meshgrid(np.arange(grid), np.arange(grid), indexing="ij")
    smoke, target = normal(grid, grid, seed=1), normal(grid, grid, seed=2)

    def project(vx: Any, vy: Any) -> Any:
        divergence = -0.5 * (xp.roll(vx, -1, axis=0) - xp.roll(vx, 1, axis=0)
                             + xp.roll(vy, -1, axis=1) - xp.roll(vy, 1, axis=1))  # fmt: skip
        pressure = np.zeros((grid, grid))
        for _ in range(sweeps):
            pressure = 0.25 * (divergence + xp.roll(pressure, 1, axis=0) + xp.roll(pressure, -1, axis=0)
                               + xp.roll(pressure, 1, axis=1) + xp.roll(pressure, -1, axis=1))  # fmt: skip
        vx = vx - 0.5 * (xp.roll(pressure, -1, axis=0) - xp.roll(pressure, 1, axis=0))
        return vx, vy - 0.5 * (xp.roll(pressure, -1, axis=1) - xp.roll(pressure, 1, axis=1))

    def advect(field: Any, vx: Any, vy: Any) -> Any:
        x, y = cell_x - vx, cell_y - vy
        left, top = xp.floor(x), xp.floor(y)
        i, j = left.astype(int) % grid, top.astype(int) % grid
        below, right = (i + 1) % grid, (j + 1) % grid
        dx, dy = x - left, y - top
        return ((1.0 - dx) * ((1.0 - dy) * field[i, j] + dy * field[i, right])
                + dx * ((1.0 - dy) * field[below, j] + dy * field[below, right]))  # fmt: skip

    def loss(parameters: Any) -> Any:
        (vx, vy), field = parameters, xp.array(smoke)
        for _ in range(steps):
            vx, vy = project(advect(vx, vx, vy), advect(vy, vx, vy))
            field = advect(field, vx, vy)
        return xp.mean((field - target) ** 2)

    return loss, [normal(grid, grid, scale=0.1, seed=3), normal(grid, grid, scale=0.1, seed=4)]


def gaussian_process(xp: Any, points: int = 20) -> tuple[Loss, list[Any]]:
    """Return the negative log marginal likelihood."""
    x = np.linspace(-3.0, 3.0, points)[:, None]
    y = np.sin(x[:, 0]) + normal(points)

    def loss(parameters: Any) -> Any:
        mean, noise, scale, length = (parameters[0][i] for i in range(4))
        differences = xp.expand_dims(x / xp.exp(length), 1) - xp.expand_dims(x / xp.exp(length), 0)
        covariance = xp.exp(scale) * xp.exp(-0.5 * xp.sum(differences**2, axis=2))
        covariance = covariance + (xp.exp(noise) + 1e-6) * np.eye(points)
        return 0.5 * xp.dot(y - mean, xp.linalg.solve(covariance, y - mean)) + 0.5 * xp.linalg.slogdet(covariance)[1]

    return loss, [np.array([0.1, -1.0, 0.2, 0.3])]


PROGRAMS: dict[str, Program] = {
    "logistic regression, 4 x 3": logistic_regression,
    "neural net, 1-4-4-2, batch 40": lambda xp: neural_net(xp, 40, 1, 4, 4, 2),
    "neural net, 784-200-100-10, batch 256": lambda xp: neural_net(xp, 256, 784, 200, 100, 10),
    "RNN, 40 states, 30 letters, batch 17": rnn,
    "fluid simulation, 20 x 20": fluid,
    "Gaussian process, 20 points": gaussian_process,
}


class NumPyPrograms:
    """Loss alone, and the gradient by all parameters."""

    params = (tuple(PROGRAMS),)
    param_names = ("program",)
    loss: Loss
    gradient: Loss
    parameters: list[Any]

    def setup(self, program: str) -> None:
        try:
            import wengert.numpy as xp
        except ImportError:
            raise NotImplementedError("wengert-numpy is not there") from None
        self.loss, self.parameters = PROGRAMS[program](xp)
        self.gradient = xp.grad(self.loss)
        self.gradient(self.parameters)

    def time_loss(self, program: str) -> None:
        self.loss(self.parameters)

    def time_gradient(self, program: str) -> None:
        self.gradient(self.parameters)
