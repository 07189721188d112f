"""Programs for capture and replay, written once against a module ``xp`` with torch's names: wengert, or PyTorch.

tools/compare/replay times them beside other libraries; their numbers come from NumPy with fixed seeds. The steps of the
scalar programs are arithmetic that JAX and CasADi run as well.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

State = tuple[Any, ...]
STEPS, CELLS = 200, 100  # of Runge-Kutta's method, of recurrent networks
NEWTON, CONJUGATE = 5, 10  # iterations, and those inside of each


class Work(NamedTuple):
    """A function that gives a list of results, and its arguments."""

    run: Callable[..., list[Any]]
    args: tuple[Any, ...]


class ScalarProgram(NamedTuple):
    """A loss after some steps of a system of single float64 numbers, as a function of its parameters."""

    parameters: tuple[float, ...]
    start: tuple[float, ...]
    steps: int
    step: Callable[[Any, State, State], State]  # of a module with sin, cos and sqrt, the state and the parameters
    loss: Callable[[State, State], Any]  # of the state and the parameters


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> Any:
    """Return normal numbers, float32."""
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


def runge_kutta(slopes: Callable[[State], State], state: State, h: float) -> State:
    """Return the state after one step of the classical method of order 4."""

    def advance(slope: State, h: float) -> State:
        return tuple(value + h * change for value, change in zip(state, slope, strict=True))

    a = slopes(state)
    b = slopes(advance(a, h / 2))
    c = slopes(advance(b, h / 2))
    d = slopes(advance(c, h))
    return tuple(value + h / 6 * (s + 2 * (t + u) + v) for value, s, t, u, v in zip(state, a, b, c, d, strict=True))


# ---- scalars


def lorenz_step(xp: Any, state: State, parameters: State) -> State:
    sigma, rho, beta = parameters

    def slopes(state: State) -> State:
        x, y, z = state
        return sigma * (y - x), x * (rho - z) - y, x * y - beta * z

    return runge_kutta(slopes, state, 0.01)


def pendulum_step(xp: Any, state: State, parameters: State) -> State:
    """A damped pendulum that is driven; the state is its angle, its velocity and the time."""
    length, damping, drive = parameters

    def slopes(state: State) -> State:
        angle, velocity, time = state
        return velocity, drive * xp.cos(1.4 * time) - damping * velocity - 9.81 / length * xp.sin(angle), 1.0 + 0 * time

    return runge_kutta(slopes, state, 0.02)


def bodies_step(xp: Any, state: State, parameters: State) -> State:
    """Three bodies in a plane; the state is places and velocities, the parameters are masses."""
    h, n = 0.02, len(parameters)
    places = [value + h / 2 * change for value, change in zip(state[: 2 * n], state[2 * n :], strict=True)]
    velocities = list(state[2 * n :])
    for i in range(n):
        for j in range(i + 1, n):
            x, y = places[2 * j] - places[2 * i], places[2 * j + 1] - places[2 * i + 1]
            square = x * x + y * y + 1e-3
            pull = h / (square * xp.sqrt(square))
            velocities[2 * i] = velocities[2 * i] + parameters[j] * pull * x
            velocities[2 * i + 1] = velocities[2 * i + 1] + parameters[j] * pull * y
            velocities[2 * j] = velocities[2 * j] - parameters[i] * pull * x
            velocities[2 * j + 1] = velocities[2 * j + 1] - parameters[i] * pull * y
    places = [value + h / 2 * change for value, change in zip(places, velocities, strict=True)]
    return (*places, *velocities)


def sum_of_squares(state: State, parameters: State) -> Any:
    total = state[0] * state[0]
    for value in state[1:]:
        total = total + value * value
    return total


def rosenbrock_loss(state: State, parameters: State) -> Any:
    total = 0.0
    for x, y in pairwise(parameters):
        total = total + 100 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x)
    return total


SCALARS = {
    "Lorenz, RK4 x 200": ScalarProgram((10.0, 28.0, 8 / 3), (1.0, 1.0, 1.0), STEPS, lorenz_step, sum_of_squares),
    "pendulum, RK4 x 200": ScalarProgram((1.2, 0.1, 1.5), (0.5, 0.0, 0.0), STEPS, pendulum_step, sum_of_squares),
    "three bodies x 100": ScalarProgram(
        (1.0, 0.9, 1.1), (0.97, -0.24, -0.97, 0.24, 0.0, 0.0, 0.47, 0.43, 0.47, 0.43, -0.93, -0.86), 100, bodies_step,
        sum_of_squares),
    "Rosenbrock, 50 variables": ScalarProgram(
        tuple(0.9 + 0.01 * i for i in range(50)), (), 0, lambda xp, state, parameters: state, rosenbrock_loss),
}  # fmt: skip


def scalar_work(program: ScalarProgram) -> Callable[[Any], Work]:
    """Return what makes the work of a program for a module with torch's names: its loss and gradient."""

    def make(xp: Any) -> Work:
        parameters = tuple(xp.tensor(value, dtype=xp.float64, requires_grad=True) for value in program.parameters)

        def run(*start: Any) -> list[Any]:
            state = start
            for _ in range(program.steps):
                state = program.step(xp, state, parameters)
            loss = program.loss(state, parameters)
            return [loss.detach(), *xp.autograd.grad(loss, parameters)]

        return Work(run, tuple(xp.tensor(value, dtype=xp.float64) for value in program.start))

    return make


# ---- small matrices

ODE_WEIGHTS = (normal(32, 8, scale=0.3), normal(32, seed=1, scale=0.1), normal(8, 32, seed=2, scale=0.1),
               normal(8, seed=3, scale=0.1))  # fmt: skip
RNN_WEIGHTS = (normal(32, 16, seed=4, scale=0.25), normal(32, 32, seed=5, scale=0.15), normal(32, seed=6, scale=0.1))
LSTM_WEIGHTS = (normal(128, 16, seed=7, scale=0.25), normal(128, 32, seed=8, scale=0.15),
                normal(128, seed=9, scale=0.1))  # fmt: skip
SEQUENCE = normal(CELLS, 16, seed=10)
TINY = ((normal(16, 8, seed=11, scale=0.3), normal(16, seed=12, scale=0.1), normal(1, 16, seed=13, scale=0.2),
         normal(1, seed=14, scale=0.1)), normal(8, 8, seed=15), normal(8, 1, seed=16))  # fmt: skip
FEATURES, LABELS = normal(200, 10, seed=17), (normal(200, seed=18) > 0).astype(np.float32)
START = normal(8, seed=19)


def leaves(xp: Any, arrays: Any) -> list[Any]:
    return [xp.tensor(array, requires_grad=True) for array in arrays]


def neural_ode(xp: Any) -> Work:
    """y' = W2 tanh(W1 y + b1) + b2; gradient of the squares at the end."""
    parameters, linear = leaves(xp, ODE_WEIGHTS), xp.nn.functional.linear
    w1, b1, w2, b2 = parameters

    def slopes(state: State) -> State:
        return (linear(linear(state[0], w1, b1).tanh(), w2, b2),)

    def run(y: Any) -> list[Any]:
        state: State = (y,)
        for _ in range(STEPS):
            state = runge_kutta(slopes, state, 0.02)
        loss = (state[0] * state[0]).sum()
        return [loss.detach(), *xp.autograd.grad(loss, parameters)]

    return Work(run, (xp.tensor(START),))


def rnn(xp: Any) -> Work:
    """h = tanh(W x + U h + b) over a sequence; gradient of the squares of the last h."""
    parameters, linear = leaves(xp, RNN_WEIGHTS), xp.nn.functional.linear
    w, u, b = parameters

    def run(sequence: Any, h: Any) -> list[Any]:
        for t in range(CELLS):
            h = (linear(sequence[t], w, b) + linear(h, u)).tanh()
        loss = (h * h).sum()
        return [loss.detach(), *xp.autograd.grad(loss, parameters)]

    return Work(run, (xp.tensor(SEQUENCE), xp.zeros(32)))


def lstm(xp: Any) -> Work:
    """A long short-term memory over a sequence; gradient of the squares of the last h."""
    parameters, linear = leaves(xp, LSTM_WEIGHTS), xp.nn.functional.linear
    w, u, b = parameters

    def run(sequence: Any, h: Any, c: Any) -> list[Any]:
        for t in range(CELLS):
            i, f, g, o = (linear(sequence[t], w, b) + linear(h, u)).chunk(4)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        loss = (h * h).sum()
        return [loss.detach(), *xp.autograd.grad(loss, parameters)]

    return Work(run, (xp.tensor(SEQUENCE), xp.zeros(32), xp.zeros(32)))


def descend(xp: Any, loss: Any, parameters: list[Any], rate: float) -> list[Any]:
    """Backward, and a step of gradient descent in place."""
    loss.backward()
    with xp.no_grad():
        for parameter in parameters:
            parameter.sub_(parameter.grad, alpha=rate)
            parameter.grad = None
    return [loss.detach()]


def tiny_mlp(xp: Any) -> Work:
    """A training step of a network 8-16-1, 8 examples."""
    weights, x, y = TINY
    parameters, linear = leaves(xp, weights), xp.nn.functional.linear
    w1, b1, w2, b2 = parameters

    def run(x: Any, y: Any) -> list[Any]:
        loss = (linear(linear(x, w1, b1).tanh(), w2, b2) - y).square().mean()
        return descend(xp, loss, parameters, 0.01)

    return Work(run, (xp.tensor(x), xp.tensor(y)))


def newton_cg(xp: Any) -> Work:
    """Logistic regression by Newton's method; conjugate gradients with products of the Hessian solve each step."""

    def run(x: Any, y: Any) -> list[Any]:
        w = xp.zeros(10, requires_grad=True)
        for _ in range(NEWTON):
            scores = x @ w
            loss = (xp.nn.functional.softplus(scores) - y * scores).mean() + 0.01 * (w * w).sum()
            (gradient,) = xp.autograd.grad(loss, w, create_graph=True)
            residual = -gradient.detach()
            direction, step, square = residual, xp.zeros(10), residual @ residual
            for _ in range(CONJUGATE):
                (product,) = xp.autograd.grad(gradient @ direction, w, retain_graph=True)
                length = square / (direction @ product + 1e-30)
                step = step + length * direction
                residual = residual - length * product
                squared = residual @ residual
                direction, square = residual + squared / (square + 1e-30) * direction, squared
            w = (w.detach() + step).requires_grad_()
        return [loss.detach(), w.detach()]

    return Work(run, (xp.tensor(FEATURES), xp.tensor(LABELS)))


# ---- larger matrices

MLP_WEIGHTS = tuple(part for i, (m, n) in enumerate(((784, 256), (256, 128), (128, 10)))
                    for part in (normal(n, m, seed=20 + i, scale=m**-0.5), np.zeros(n, np.float32)))  # fmt: skip
IMAGES, CLASSES = normal(64, 784, seed=30), np.arange(64) % 10
WIDTH, HEADS, TOKENS, BATCH = 64, 4, 32, 4
BLOCK_WEIGHTS = (
    np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32), normal(3 * WIDTH, WIDTH, seed=31, scale=0.12),
    normal(WIDTH, WIDTH, seed=32, scale=0.12), np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32),
    normal(4 * WIDTH, WIDTH, seed=33, scale=0.12), normal(WIDTH, 4 * WIDTH, seed=34, scale=0.06),
)  # fmt: skip
EMBEDDED = normal(BATCH, TOKENS, WIDTH, seed=35)
MASK = np.where(np.tri(TOKENS, dtype=bool), 0, -1e9).astype(np.float32)


def mlp(xp: Any) -> Work:
    """A training step of a network 784-256-128-10, 64 images."""
    parameters, functional = leaves(xp, MLP_WEIGHTS), xp.nn.functional
    w1, b1, w2, b2, w3, b3 = parameters

    def run(x: Any, classes: Any) -> list[Any]:
        hidden = functional.relu(functional.linear(x, w1, b1))
        hidden = functional.relu(functional.linear(hidden, w2, b2))
        loss = functional.cross_entropy(functional.linear(hidden, w3, b3), classes)
        return descend(xp, loss, parameters, 0.01)

    return Work(run, (xp.tensor(IMAGES), xp.tensor(CLASSES)))


def block(xp: Any) -> Work:
    """A transformer's block of matrix products, sums, softmax and tanh; gradient of the mean square."""
    parameters = leaves(xp, BLOCK_WEIGHTS)
    scale1, shift1, w_qkv, w_out, scale2, shift2, w_up, w_down = parameters

    def normalize(x: Any, scale: Any, shift: Any) -> Any:
        centered = x - x.mean(-1, keepdim=True)
        return centered * (centered.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * scale + shift

    def run(x: Any, mask: Any) -> list[Any]:
        qkv = normalize(x, scale1, shift1) @ w_qkv.t()
        q, k, v = (part.reshape(BATCH, TOKENS, HEADS, -1).transpose(1, 2) for part in qkv.chunk(3, -1))
        weights = (q @ k.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + mask).softmax(-1)
        x = x + (weights @ v).transpose(1, 2).reshape(BATCH, TOKENS, WIDTH) @ w_out.t()
        up = normalize(x, scale2, shift2) @ w_up.t()
        gelu = 0.5 * up * (1 + (0.7978845608 * (up + 0.044715 * up * up * up)).tanh())
        loss = (x + gelu @ w_down.t()).square().mean()
        return [loss.detach(), *xp.autograd.grad(loss, parameters)]

    return Work(run, (xp.tensor(EMBEDDED), xp.tensor(MASK)))


# ---- many numbers

SIZE = 10**7
ROWS, COLUMNS = 4000, 2500


def uniform(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(np.float32)


def chain(xp: Any, size: int = SIZE) -> Work:
    """mul, add, tanh, exp, sum, and their gradient."""
    x = xp.tensor(uniform(size), requires_grad=True)

    def run() -> list[Any]:
        loss = (x * 0.5 + 0.1).tanh().exp().sum()
        return [loss.detach(), *xp.autograd.grad(loss, [x])]

    return Work(run, ())


def broadcast(xp: Any, rows: int = ROWS) -> Work:
    """A row times a matrix plus a column."""
    matrix, row, column = (xp.tensor(uniform(*shape)) for shape in ((rows, COLUMNS), (COLUMNS,), (rows, 1)))
    return Work(lambda: [matrix * row + column], ())


def broadcast_gradient(xp: Any, rows: int = ROWS) -> Work:
    """The sum of its squares, and the gradient of row and column."""
    matrix = xp.tensor(uniform(rows, COLUMNS))
    parameters = [xp.tensor(uniform(*shape), requires_grad=True) for shape in ((COLUMNS,), (rows, 1))]
    row, column = parameters

    def run() -> list[Any]:
        loss = (matrix * row + column).square().sum()
        return [loss.detach(), *xp.autograd.grad(loss, parameters)]

    return Work(run, ())


BYTES_MOVED = {
    "chain of 10^7, gradient": 8 * SIZE,
    "broadcast of 4000 x 2500": 8 * ROWS * COLUMNS,
    "broadcast, gradient": 4 * ROWS * COLUMNS,
}
"""Bytes that must be read or written once, however well a program is compiled."""

PARTS = 100
IN_CACHE: dict[str, Callable[[Any], Work]] = {
    "chain of 10^7, gradient": lambda xp: chain(xp, SIZE // PARTS),
    "broadcast of 4000 x 2500": lambda xp: broadcast(xp, ROWS // PARTS),
    "broadcast, gradient": lambda xp: broadcast_gradient(xp, ROWS // PARTS),
}
"""The same programs of so small a part of the numbers that a cache holds them."""

PROGRAMS: dict[str, Callable[[Any], Work]] = {
    **{name: scalar_work(program) for name, program in SCALARS.items()},
    "neural ODE 8-32-8, RK4 x 200": neural_ode,
    "RNN, 32 units x 100": rnn,
    "LSTM, 32 units x 100": lstm,
    "training step 8-16-1": tiny_mlp,
    "logistic regression, Newton-CG": newton_cg,
    "training step 784-256-128-10": mlp,
    "transformer block": block,
    "chain of 10^7, gradient": chain,
    "broadcast of 4000 x 2500": broadcast,
    "broadcast, gradient": broadcast_gradient,
}
