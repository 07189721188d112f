"""The programs for JAX: each is one function under ``jit``, and loops over time are ``scan``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import benchmarks.replay_programs as programs
import jax  # type: ignore[import-not-found,unused-ignore]  # a peer
import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]
from jax import lax  # type: ignore[import-not-found,unused-ignore]

Call = Callable[[], Any]
float32 = jnp.float32


def arrays(values: Any) -> tuple[Any, ...]:
    return tuple(jnp.asarray(value) for value in values)


def call_jitted(function: Callable[..., Any], *args: Any) -> Call:
    """Return a call of the compiled function that waits for its results."""
    compiled = jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*args))


def loss_and_gradient(loss: Callable[..., Any], parameters: Any, *args: Any) -> Call:
    """Return a call that gives a list of the loss and the gradient of its first argument."""
    both = jax.value_and_grad(loss)

    def run(parameters: Any, *args: Any) -> list[Any]:
        value, gradient = both(parameters, *args)
        return [value, *gradient]

    return call_jitted(run, parameters, *args)


def scalar_call(program: programs.ScalarProgram) -> Call:
    """Parameters, their gradient and the state of a step are arrays: that is faster than an array for each number.

    Without ``unroll``, which makes these loops slower and takes minutes to compile.
    """

    def loss(parameters: Any, state: Any) -> Any:
        numbers = tuple(parameters[0])
        if program.steps:
            state, _ = lax.scan(
                lambda state, _: (jnp.stack(program.step(jnp, tuple(state), numbers)), None), state, None,
                length=program.steps,
            )  # fmt: skip
        return program.loss(tuple(state), numbers)

    float64 = functools.partial(jnp.asarray, dtype=jnp.float64)
    return loss_and_gradient(loss, (float64(program.parameters),), float64(program.start))


def neural_ode() -> Call:
    def loss(parameters: Any, y: Any) -> Any:
        w1, b1, w2, b2 = parameters

        def slopes(state: Any) -> Any:
            return (w2 @ jnp.tanh(w1 @ state[0] + b1) + b2,)

        def step(state: Any, _: Any) -> Any:
            return programs.runge_kutta(slopes, state, 0.02), None

        (y,), _ = lax.scan(step, (y,), None, length=programs.STEPS)
        return (y * y).sum()

    return loss_and_gradient(loss, arrays(programs.ODE_WEIGHTS), jnp.asarray(programs.START))


def rnn() -> Call:
    def loss(parameters: Any, sequence: Any, h: Any) -> Any:
        w, u, b = parameters
        h, _ = lax.scan(lambda h, x: (jnp.tanh(w @ x + b + u @ h), None), h, sequence)
        return (h * h).sum()

    return loss_and_gradient(loss, arrays(programs.RNN_WEIGHTS), jnp.asarray(programs.SEQUENCE), jnp.zeros(32, float32))


def lstm() -> Call:
    def loss(parameters: Any, sequence: Any, h: Any, c: Any) -> Any:
        w, u, b = parameters

        def cell(state: Any, x: Any) -> Any:
            h, c = state
            i, f, g, o = jnp.split(w @ x + b + u @ h, 4)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        (h, _), _ = lax.scan(cell, (h, c), sequence)
        return (h * h).sum()

    zeros = jnp.zeros(32, float32)
    return loss_and_gradient(loss, arrays(programs.LSTM_WEIGHTS), jnp.asarray(programs.SEQUENCE), zeros, zeros)


def training_call(loss: Callable[..., Any], parameters: Any, *args: Any) -> Call:
    """Return a call of a compiled step of gradient descent, which may write to its parameters."""

    def step(parameters: Any, *args: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(parameters, *args)
        return value, tuple(p - 0.01 * g for p, g in zip(parameters, gradient, strict=True))

    compiled, state = jax.jit(step, donate_argnums=0), [parameters]

    def call() -> Any:
        value, state[0] = compiled(state[0], *args)
        jax.block_until_ready(state[0])
        return [value]

    return call


def tiny_mlp() -> Call:
    weights, x, y = programs.TINY

    def loss(parameters: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = parameters
        return jnp.square(jnp.tanh(x @ w1.T + b1) @ w2.T + b2 - y).mean()

    return training_call(loss, arrays(weights), *arrays((x, y)))


def newton_cg() -> Call:
    def loss(w: Any, x: Any, y: Any) -> Any:
        scores = x @ w
        return (jax.nn.softplus(scores) - y * scores).mean() + 0.01 * (w * w).sum()

    def run(x: Any, y: Any) -> list[Any]:
        def newton(_: Any, carried: Any) -> Any:
            w, _ = carried
            (value, gradient), product_of = jax.linearize(lambda w: jax.value_and_grad(loss)(w, x, y), w)

            def conjugate(_: Any, carried: Any) -> Any:
                step, residual, direction, square = carried
                product = product_of(direction)[1]
                length = square / (direction @ product + 1e-30)
                step, residual = step + length * direction, residual - length * product
                squared = residual @ residual
                return step, residual, residual + squared / (square + 1e-30) * direction, squared

            begin = jnp.zeros(10, float32), -gradient, -gradient, gradient @ gradient
            return w + lax.fori_loop(0, programs.CONJUGATE, conjugate, begin)[0], value

        w, value = lax.fori_loop(0, programs.NEWTON, newton, (jnp.zeros(10, float32), jnp.zeros((), float32)))
        return [value, w]

    return call_jitted(run, *arrays((programs.FEATURES, programs.LABELS)))


def mlp() -> Call:
    def loss(parameters: Any, x: Any, classes: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = jax.nn.relu(jax.nn.relu(x @ w1.T + b1) @ w2.T + b2)
        logs = jax.nn.log_softmax(hidden @ w3.T + b3)
        return -jnp.take_along_axis(logs, classes[:, None], 1).mean()

    return training_call(loss, arrays(programs.MLP_WEIGHTS), *arrays((programs.IMAGES, programs.CLASSES)))


def block() -> Call:
    batch, tokens, width, heads = programs.BATCH, programs.TOKENS, programs.WIDTH, programs.HEADS

    def normalize(x: Any, scale: Any, shift: Any) -> Any:
        centered = x - x.mean(-1, keepdims=True)
        return centered * lax.rsqrt(jnp.square(centered).mean(-1, keepdims=True) + 1e-5) * scale + shift

    def loss(parameters: Any, x: Any, mask: Any) -> Any:
        scale1, shift1, w_qkv, w_out, scale2, shift2, w_up, w_down = parameters
        parts = jnp.split(normalize(x, scale1, shift1) @ w_qkv.T, 3, -1)
        q, k, v = (part.reshape(batch, tokens, heads, -1).swapaxes(1, 2) for part in parts)
        weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) * (width // heads) ** -0.5 + mask, -1)
        x = x + (weights @ v).swapaxes(1, 2).reshape(batch, tokens, width) @ w_out.T
        up = normalize(x, scale2, shift2) @ w_up.T
        gelu = 0.5 * up * (1 + jnp.tanh(0.7978845608 * (up + 0.044715 * up * up * up)))
        return jnp.square(x + gelu @ w_down.T).mean()

    return loss_and_gradient(loss, arrays(programs.BLOCK_WEIGHTS), *arrays((programs.EMBEDDED, programs.MASK)))


def chain() -> Call:
    def loss(parameters: Any) -> Any:
        return jnp.exp(jnp.tanh(parameters[0] * 0.5 + 0.1)).sum()

    return loss_and_gradient(loss, (jnp.asarray(programs.uniform(programs.SIZE)),))


def broadcast_inputs() -> Any:
    rows, columns = programs.ROWS, programs.COLUMNS
    return arrays(programs.uniform(*shape) for shape in ((rows, columns), (columns,), (rows, 1)))


def broadcast() -> Call:
    return call_jitted(lambda matrix, row, column: [matrix * row + column], *broadcast_inputs())


def broadcast_gradient() -> Call:
    matrix, row, column = broadcast_inputs()
    return loss_and_gradient(lambda p, matrix: jnp.square(matrix * p[0] + p[1]).sum(), (row, column), matrix)


CALLS: dict[str, Callable[[], Call]] = {
    **{name: functools.partial(scalar_call, program) for name, program in programs.SCALARS.items()},
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
