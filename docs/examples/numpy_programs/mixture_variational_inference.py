"""Approximate a density with several maxima by a mixture of normal ones.

    python mixture_variational_inference.py [steps]

The bound of the evidence is the components' mean, each with samples of its own: so the weights have gradients as well.
"""

import sys

import wengert.numpy as np
from black_box_svi import normal_log_density
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

COMPONENTS, SAMPLES = 4, 50
CENTERS = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, 2.5]])


def target(x):
    """Return the log density of three normal densities in the plane, [n, 2] -> [n]."""
    parts = [np.sum(normal_log_density(x, center, np.log(0.6)), axis=1) for center in CENTERS]
    return np.logaddexp.reduce(np.stack(parts), axis=0) - np.log(len(CENTERS))


def log_weights(parameters):
    """Return the logarithms of the components' weights."""
    return parameters["scores"] - np.logaddexp.reduce(parameters["scores"])


def mixture_log_density(parameters, x):
    """Return the log density of the mixture, [n, 2] -> [n]."""
    each = normal_log_density(x[None], parameters["means"][:, None], parameters["log_deviations"][:, None])
    return np.logaddexp.reduce(np.sum(each, axis=2) + log_weights(parameters)[:, None], axis=0)


def negative_bound(parameters, rng):
    """Return an estimate of minus the lower bound of the evidence: 0 where the mixture is the target."""
    noise = rng.normal(size=(COMPONENTS, SAMPLES, 2))
    x = parameters["means"][:, None] + np.exp(parameters["log_deviations"])[:, None] * noise
    x = x.reshape(-1, 2)
    difference = (mixture_log_density(parameters, x) - target(x)).reshape(COMPONENTS, SAMPLES)
    return np.sum(np.exp(log_weights(parameters)) * np.mean(difference, axis=1))


def main(steps=200):
    rng = np.random.default_rng(0)
    start = {
        "scores": np.zeros(COMPONENTS),
        "means": rng.normal(size=(COMPONENTS, 2)),
        "log_deviations": np.full((COMPONENTS, 2), -1.0),
    }
    gradient = grad(negative_bound)
    parameters = adam(lambda p, step: gradient(p, rng), start, num_iters=steps, step_size=0.05)
    first, last = (np.mean([negative_bound(p, rng) for _ in range(20)]) for p in (start, parameters))
    distances = np.linalg.norm(parameters["means"][:, None] - CENTERS, axis=2)
    print(f"loss {first:.4f} at first, {last:.4f} at last")
    print(f"centers found: {int(np.sum(np.min(distances, axis=0) < 0.3))} of {len(CENTERS)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
