"""Find the two numbers behind data of many dimensions: a latent variable model of Gaussian processes.

    python gplvm.py [evaluations]

Each column of the data is a Gaussian process of latent points, which are parameters like the kernel's.
"""

import sys

import wengert.numpy as np
from gaussian_process import covariance
from scipy.optimize import minimize
from wengert.numpy import value_and_grad
from wengert.numpy.misc.flatten import flatten


def negative_log_density(parameters, data):
    """Return minus the log density of the data's columns and of a normal prior of the latent points."""
    latent, kernel = parameters["latent"], parameters["kernel"]
    noise = np.exp(2.0 * parameters["noise"]) + 1e-6
    factor = np.linalg.cholesky(covariance(kernel, latent, latent) + noise * np.eye(len(latent)))
    white = np.linalg.solve(factor, data)
    likelihood = -0.5 * np.sum(white**2) - data.shape[1] * np.sum(np.log(np.diag(factor)))
    return 0.5 * np.sum(latent**2) - likelihood


def main(evaluations=60):
    rng = np.random.default_rng(0)
    angle = np.linspace(0.0, 2.0 * np.pi, 40)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    data = np.tanh(np.dot(circle, rng.normal(size=(2, 8)))) + 0.02 * rng.normal(size=(40, 8))
    data = data - np.mean(data, axis=0)

    start = {"latent": 0.1 * rng.normal(size=(40, 2)), "kernel": np.zeros(3), "noise": -1.0}
    vector, unflatten = flatten(start)
    objective = value_and_grad(lambda vector: negative_log_density(unflatten(vector), data))
    result = minimize(objective, vector, jac=True, method="L-BFGS-B", options={"maxfun": evaluations})
    latent = unflatten(result.x)["latent"]
    steps = np.linalg.norm(np.diff(latent, axis=0), axis=1)
    spread = np.linalg.norm(latent - np.mean(latent, axis=0), axis=1).mean()
    print(f"loss {objective(vector)[0]:.4f} at first, {result.fun:.4f} at last")
    print(f"distance between neighbors on the circle {np.median(steps) / spread:.3f} of the mean radius")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
