"""Fit a Gaussian process: its hyperparameters maximize the marginal likelihood.

    python gaussian_process.py [points]

The derivative goes through a Cholesky factorization. SciPy's minimize gets values and gradients.
"""

import sys

import wengert.numpy as np
from scipy.optimize import minimize
from wengert.numpy import value_and_grad


def covariance(parameters, x, z):
    """Return the squared exponential kernel of points x [n, d] and z [m, d].

    parameters: the logarithms of the scale of the values and of the lengths along each of the d axes.
    """
    lengths = np.exp(parameters[1:])
    difference = (x[:, None, :] - z[None, :, :]) / lengths
    return np.exp(2.0 * parameters[0]) * np.exp(-0.5 * np.sum(difference**2, axis=-1))


def unpack(parameters):
    """Return the mean, the noise's variance and the kernel's parameters."""
    return parameters[0], np.exp(2.0 * parameters[1]) + 1e-6, parameters[2:]


def log_marginal_likelihood(parameters, x, y):
    """Return the log density of the values y at points x."""
    mean, noise, kernel = unpack(parameters)
    factor = np.linalg.cholesky(covariance(kernel, x, x) + noise * np.eye(len(x)))
    white = np.linalg.solve(factor, y - mean)
    return -0.5 * np.dot(white, white) - np.sum(np.log(np.diag(factor))) - 0.5 * len(x) * np.log(2.0 * np.pi)


def predict(parameters, x, y, new_x):
    """Return mean and covariance of the function at new points."""
    mean, noise, kernel = unpack(parameters)
    cross = covariance(kernel, new_x, x)
    solution = np.linalg.solve(covariance(kernel, x, x) + noise * np.eye(len(x)), np.column_stack([y - mean, cross.T]))
    predicted = mean + np.dot(cross, solution[:, 0])
    return predicted, covariance(kernel, new_x, new_x) - np.dot(cross, solution[:, 1:])


def fit(x, y, start):
    """Return hyperparameters that maximize the marginal likelihood."""
    objective = value_and_grad(lambda parameters: -log_marginal_likelihood(parameters, x, y))
    return minimize(objective, start, jac=True, method="L-BFGS-B", bounds=[(-6.0, 6.0)] * len(start)).x


def main(points=40):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-4.0, 4.0, size=(points, 1)), axis=0)
    y = np.sin(1.5 * x[:, 0]) + 0.1 * rng.normal(size=points)
    start = np.array([0.0, -1.0, 0.0, 0.5])
    parameters = fit(x, y, start)
    first, last = (-log_marginal_likelihood(p, x, y) for p in (start, parameters))
    grid = np.linspace(-4.0, 4.0, 50)[:, None]
    error = np.sqrt(np.mean((predict(parameters, x, y, grid)[0] - np.sin(1.5 * grid[:, 0])) ** 2))
    print(f"loss {first:.4f} at first, {last:.4f} at last")
    print(f"noise {np.exp(parameters[1]):.3f} (0.1), length {np.exp(parameters[3]):.2f}, error on a grid {error:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
