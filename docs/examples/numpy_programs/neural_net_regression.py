"""Fit a curve by a neural network, as the maximum of a posterior density.

    python neural_net_regression.py [steps]

Parameters are a list of tuples of arrays, and so are gradients and the optimizer's steps.
"""

import sys
from itertools import pairwise

import wengert.numpy as np
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

NOISE = 0.05


def new_parameters(rng, sizes):
    """Return the weights and biases of each layer."""
    return [(rng.normal(size=(m, n)) / np.sqrt(m), 0.1 * rng.normal(size=n)) for m, n in pairwise(sizes)]


def predict(parameters, inputs):
    """Return the network's outputs."""
    for weights, biases in parameters[:-1]:
        inputs = np.tanh(np.dot(inputs, weights) + biases)
    weights, biases = parameters[-1]
    return np.dot(inputs, weights) + biases


def negative_log_posterior(parameters, inputs, targets):
    """Return minus the log density of normal errors and of a normal prior of the parameters, up to a constant."""
    prior = sum(np.sum(w**2) + np.sum(b**2) for w, b in parameters) / 20.0
    return prior + 0.5 * np.sum((predict(parameters, inputs) - targets) ** 2) / NOISE**2


def main(steps=300):
    rng = np.random.default_rng(0)
    inputs = np.linspace(-3.0, 3.0, 80)[:, None]
    targets = np.cos(2.0 * inputs) * np.exp(-0.2 * inputs**2) + NOISE * rng.normal(size=inputs.shape)

    def objective(parameters, step=0):
        return negative_log_posterior(parameters, inputs, targets)

    start = new_parameters(rng, [1, 16, 16, 1])
    parameters = adam(grad(objective), start, num_iters=steps, step_size=0.03)
    residual = np.std(predict(parameters, inputs) - targets)
    print(f"loss {objective(start):.4f} at first, {objective(parameters):.4f} at last; residual {residual:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
