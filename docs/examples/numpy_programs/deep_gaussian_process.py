"""Fit a composition of two Gaussian processes to a function with a step.

    python deep_gaussian_process.py [evaluations]

The first process maps the inputs to hidden values, its values at a few points are parameters; the second one maps
hidden values to the data. All parameters maximize the joint density.
"""

import sys

import wengert.numpy as np
from gaussian_process import log_marginal_likelihood, predict
from scipy.optimize import minimize
from wengert.numpy import value_and_grad

INDUCING = 10  # points at which the hidden values are parameters


def unpack_layers(parameters):
    """Return the hyperparameters of both layers and the hidden values at the inducing points."""
    return parameters[:4], parameters[4:8], parameters[8:]


def hidden_values(parameters, inducing, x):
    """Return the mean of the first process at the inputs, [n, 1]."""
    first, _, hidden = unpack_layers(parameters)
    return predict(first, inducing, hidden, x)[0][:, None]


def log_joint(parameters, inducing, x, y):
    """Return the log density of data and hidden values, with a normal prior of the hyperparameters."""
    first, second, hidden = unpack_layers(parameters)
    outer = log_marginal_likelihood(second, hidden_values(parameters, inducing, x), y)
    return outer + log_marginal_likelihood(first, inducing, hidden) - 0.05 * np.sum(parameters[:8] ** 2)


def main(evaluations=40):
    rng = np.random.default_rng(0)
    x = np.linspace(-3.0, 3.0, 40)[:, None]
    y = np.where(x[:, 0] > 0.0, 1.0, -1.0) + 0.05 * rng.normal(size=len(x))
    inducing = np.linspace(-3.0, 3.0, INDUCING)[:, None]
    start = np.concatenate([[0.0, -2.0, 0.0, 0.0], [0.0, -2.0, 0.0, 0.0], inducing[:, 0]])

    objective = value_and_grad(lambda parameters: -log_joint(parameters, inducing, x, y))
    result = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxfun": evaluations})
    hidden = hidden_values(result.x, inducing, x)
    predicted = predict(unpack_layers(result.x)[1], hidden, y, hidden)[0]
    print(f"loss {objective(start)[0]:.4f} at first, {result.fun:.4f} at last")
    print(f"residual {np.std(predicted - y):.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
