"""Approximate a density that is known up to a factor by a normal one: stochastic variational inference.

    python black_box_svi.py [steps]

The lower bound of the evidence is estimated by samples, which are differentiable in mean and deviation.
"""

import sys

import wengert.numpy as np
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam


def normal_log_density(x, mean, log_deviation):
    """Return the log density of normal numbers."""
    return -0.5 * ((x - mean) / np.exp(log_deviation)) ** 2 - log_deviation - 0.5 * np.log(2.0 * np.pi)


def black_box_objective(log_density, dimensions, samples, seed=0):
    """Return a function of (parameters, step): an estimate of minus the lower bound of the evidence.

    parameters: the means, then the logarithms of the deviations.   log_density: of rows, [n, dimensions] -> [n].
    """
    rng = np.random.default_rng(seed)

    def objective(parameters, step=0):
        mean, log_deviation = parameters[:dimensions], parameters[dimensions:]
        x = mean + np.exp(log_deviation) * rng.normal(size=(samples, dimensions))
        entropy = 0.5 * dimensions * (1.0 + np.log(2.0 * np.pi)) + np.sum(log_deviation)
        return -(entropy + np.mean(log_density(x)))

    return objective


def funnel(x):
    """Return a log density in two dimensions: the first number is normal, and the log deviation of the second."""
    return normal_log_density(x[:, 1], 0.0, np.log(1.35)) + normal_log_density(x[:, 0], 0.0, x[:, 1])


def main(steps=300):
    objective = black_box_objective(funnel, 2, 200)
    start = np.array([1.0, 1.0, -3.0, -3.0])
    parameters = adam(grad(objective), start, num_iters=steps, step_size=0.03)
    first, last = (np.mean([objective(p) for _ in range(20)]) for p in (start, parameters))
    print(f"loss {first:.4f} at first, {last:.4f} at last")
    print(f"means {np.round(parameters[:2], 2)}, deviations {np.round(np.exp(parameters[2:]), 2)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
