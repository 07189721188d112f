"""Minimize a function that is costly to evaluate: each point is where a Gaussian process expects most.

    python bayesian_optimization.py [evaluations]

The expected improvement is maximized by its gradient, which goes through the process's prediction.
"""

import sys

import wengert.numpy as np
from gaussian_process import fit, predict
from scipy.optimize import minimize
from scipy.special import ndtr
from wengert.numpy import value_and_grad

LOW, HIGH = -4.0, 4.0


def costly(x):
    """Return the function to be minimized; its minimum is -0.9336, at 1.496."""
    return np.sin(2.0 * x + 2.0) * 0.8 + 0.05 * (x - 2.0) ** 2 - 0.6 * np.exp(-((x - 2.6) ** 2))


def expected_improvement(point, parameters, x, y):
    """Return how far below the best value the function is expected to be at a point."""
    mean, variance = predict(parameters, x, y, point[None, :])
    deviation = np.sqrt(variance[0, 0] + 1e-10)
    z = (np.min(y) - mean[0]) / deviation
    density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return deviation * (z * ndtr(z) + density)


def next_point(parameters, x, y, starts):
    """Return the best of the local maxima of the expected improvement."""
    objective = value_and_grad(lambda point: -expected_improvement(point, parameters, x, y))
    options = {"jac": True, "method": "L-BFGS-B", "bounds": [(LOW, HIGH)]}
    found = [minimize(objective, start, **options) for start in starts]
    return min(found, key=lambda result: result.fun).x


def main(evaluations=10):
    rng = np.random.default_rng(0)
    x = np.array([[-3.0], [0.0], [3.5]])
    y = costly(x[:, 0])
    parameters = np.array([0.0, -3.0, 0.0, 0.0])
    first = np.min(y)
    for _ in range(evaluations):
        parameters = fit(x, y, parameters)
        new = next_point(parameters, x, y, rng.uniform(LOW, HIGH, size=(4, 1)))
        x, y = np.vstack([x, new]), np.append(y, costly(new[0]))
    best = np.argmin(y)
    print(f"loss {first:.4f} at first, {y[best]:.4f} at last, at {x[best, 0]:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
