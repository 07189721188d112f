"""Optimizers that step along ``grad(x, i)``, for nested containers of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from wengert_numpy.autograd_numpy.misc.flatten import flatten


def unflatten_optimizer(optimize: Callable[..., Any]) -> Callable[..., Any]:
    """Return an optimizer of nested tuples, lists and dicts of arrays from one of vectors."""

    @wraps(optimize)
    def of_containers(grad: Any, x0: Any, callback: Any = None, *args: Any, **kwargs: Any) -> Any:
        vector, unflatten = flatten(x0)

        def vector_grad(x: Any, i: int) -> Any:
            return flatten(grad(unflatten(x), i))[0]

        report = callback and (lambda x, i, g: callback(unflatten(x), i, unflatten(g)))
        return unflatten(optimize(vector_grad, vector, report, *args, **kwargs))

    return of_containers


@unflatten_optimizer
def sgd(
    grad: Any, x: Any, callback: Any = None, num_iters: int = 200, step_size: float = 0.1, mass: float = 0.9
) -> Any:
    """Return where gradient descent with momentum arrives. ``grad(x, i)`` is the gradient at iteration i."""
    velocity = np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        velocity = mass * velocity - (1.0 - mass) * g
        x = x + step_size * velocity
    return x


@unflatten_optimizer
def rmsprop(
    grad: Any,
    x: Any,
    callback: Any = None,
    num_iters: int = 100,
    step_size: float = 0.1,
    gamma: float = 0.9,
    eps: float = 1e-8,
) -> Any:
    """Return where RMSProp arrives: steps are divided by the root of the running mean of squared gradients."""
    mean_square = np.ones(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        mean_square = mean_square * gamma + g**2 * (1 - gamma)
        x = x - step_size * g / (np.sqrt(mean_square) + eps)
    return x


@unflatten_optimizer
def adam(
    grad: Any,
    x: Any,
    callback: Any = None,
    num_iters: int = 100,
    step_size: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
) -> Any:
    """Return where Adam arrives (Kingma and Ba, https://arxiv.org/abs/1412.6980, algorithm 1)."""
    mean, mean_square = np.zeros(len(x)), np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        mean = (1 - b1) * g + b1 * mean
        mean_square = (1 - b2) * g**2 + b2 * mean_square
        unbiased, unbiased_square = mean / (1 - b1 ** (i + 1)), mean_square / (1 - b2 ** (i + 1))
        x = x - step_size * unbiased / (np.sqrt(unbiased_square) + eps)
    return x
