"""Separate mixed signals: independent component analysis as maximum likelihood.

    python ica.py [evaluations]

The derivative goes through the determinant of the unmixing matrix.
"""

import sys

import wengert.numpy as np
from scipy.optimize import minimize
from wengert.numpy import value_and_grad


def negative_log_likelihood(unmixing, data):
    """Return the mean of minus the log density of data, [n, sources], whose sources have heavy tails."""
    sources = np.dot(data, unmixing.T)
    log_density = np.sum(-np.log(np.cosh(sources)) - np.log(np.pi), axis=1)
    return -np.mean(log_density) - np.linalg.slogdet(unmixing)[1]


def separation_error(product):
    """Return how far a matrix is from one with a single entry in each row."""
    sizes = np.abs(product)
    return np.max(np.sum(sizes, axis=1) / np.max(sizes, axis=1)) - 1.0


def main(evaluations=60):
    rng = np.random.default_rng(0)
    sources = rng.laplace(size=(2000, 3))
    mixing = np.array([[1.0, 0.6, -0.3], [-0.4, 1.0, 0.5], [0.3, -0.5, 1.0]])
    data = np.dot(sources, mixing.T)

    def objective(vector):
        return negative_log_likelihood(vector.reshape(3, 3), data)

    start = np.eye(3).ravel()
    result = minimize(value_and_grad(objective), start, jac=True, method="BFGS", options={"maxiter": evaluations})
    error = separation_error(np.dot(result.x.reshape(3, 3), mixing))
    print(f"loss {objective(start):.4f} at first, {result.fun:.4f} at last")
    print(f"cross-talk {separation_error(mixing):.3f} at first, {error:.3f} at last")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
