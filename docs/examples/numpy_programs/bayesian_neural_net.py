"""Fit a curve by a network whose weights have a distribution: its predictions are uncertain where there are no data.

    python bayesian_neural_net.py [steps]

Mean and deviation of each weight are fitted by stochastic variational inference (black_box_svi.py).
"""

import sys
from itertools import pairwise

import wengert.numpy as np
from black_box_svi import black_box_objective
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

SIZES, NOISE, PRIOR = (1, 12, 12, 1), 0.1, 1.0
DIMENSIONS = sum((m + 1) * n for m, n in pairwise(SIZES))


def predict(weights, inputs):
    """Return the outputs [samples, n] of networks [samples, DIMENSIONS] for inputs [n, 1]."""
    values, start = inputs[None], 0
    for layer, (m, n) in enumerate(pairwise(SIZES)):
        matrices = weights[:, start : start + m * n].reshape(-1, m, n)
        biases = weights[:, start + m * n : start + (m + 1) * n].reshape(-1, 1, n)
        start += (m + 1) * n
        values = np.matmul(values, matrices) + biases
        values = np.maximum(values, 0.0) if layer < len(SIZES) - 2 else values
    return values[:, :, 0]


def log_posterior(weights, inputs, targets):
    """Return the log density of weights [samples, DIMENSIONS] after the data, up to a constant."""
    errors = (predict(weights, inputs) - targets) / NOISE
    return -0.5 * np.sum(errors**2, axis=1) - 0.5 * np.sum(weights**2, axis=1) / PRIOR**2


def main(steps=400):
    rng = np.random.default_rng(0)
    inputs = np.concatenate([np.linspace(-2.0, -0.5, 20), np.linspace(0.8, 2.0, 20)])[:, None]
    targets = np.sin(2.0 * inputs[:, 0]) + NOISE * rng.normal(size=len(inputs))

    objective = black_box_objective(lambda weights: log_posterior(weights, inputs, targets), DIMENSIONS, 10)
    start = np.concatenate([0.5 * rng.normal(size=DIMENSIONS), np.full(DIMENSIONS, -3.0)])
    parameters = adam(grad(objective), start, num_iters=steps, step_size=0.02)
    first, last = (np.mean([objective(p) for _ in range(10)]) for p in (start, parameters))
    mean, deviation = parameters[:DIMENSIONS], np.exp(parameters[DIMENSIONS:])
    samples = mean + deviation * rng.normal(size=(100, DIMENSIONS))
    near, far = (np.std(predict(samples, np.array([[x]]))) for x in (1.4, 4.0))
    print(f"loss {first:.4f} at first, {last:.4f} at last")
    print(f"deviation of the predictions {near:.3f} among the data, {far:.3f} far from them")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
