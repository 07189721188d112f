"""Fit a mixture of normal densities by Newton's method with conjugate gradients.

    python gmm.py [iterations]

SciPy's minimize gets the gradient and products of the Hessian with vectors. Covariances are L L^T with a triangular L.
"""

import sys

import wengert.numpy as np
from scipy.optimize import minimize
from wengert.numpy import hessian_vector_product, value_and_grad
from wengert.numpy.misc.flatten import flatten


def log_likelihood(parameters, data):
    """Return the log density of the data, points of the plane."""
    scores = parameters["scores"]
    log_weights = scores - np.logaddexp.reduce(scores)
    parts = []
    for log_weight, mean, root in zip(log_weights, parameters["means"], parameters["roots"], strict=True):
        triangle = np.tril(root, -1) + np.diag(np.exp(np.diag(root)))
        white = np.linalg.solve(triangle, (data - mean).T)
        parts.append(log_weight - 0.5 * np.sum(white**2, axis=0) - np.sum(np.diag(root)) - np.log(2.0 * np.pi))
    return np.sum(np.logaddexp.reduce(np.stack(parts), axis=0))


def spiral_arms(rng, arms, points):
    """Return points of the plane in stretched clusters around the origin."""
    clusters = []
    for angle in 2.0 * np.pi * np.arange(arms) / arms:
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        clusters.append(np.dot(rng.normal(size=(points, 2)) * [0.6, 0.15] + [2.0, 0.0], turn.T))
    return np.concatenate(clusters)


def main(iterations=20):
    rng = np.random.default_rng(0)
    components, data = 3, spiral_arms(rng, 3, 60)
    start = {
        "scores": np.zeros(components),
        "means": data[rng.choice(len(data), components, replace=False)],
        "roots": np.zeros((components, 2, 2)),
    }
    vector, unflatten = flatten(start)

    def objective(vector):
        return -log_likelihood(unflatten(vector), data) / len(data)

    result = minimize(
        value_and_grad(objective),
        vector,
        jac=True,
        hessp=hessian_vector_product(objective),
        method="trust-ncg",
        options={"maxiter": iterations},
    )
    print(f"loss {objective(vector):.4f} at first, {result.fun:.4f} at last")
    print("means:", *np.round(unflatten(result.x)["means"], 2).tolist())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
