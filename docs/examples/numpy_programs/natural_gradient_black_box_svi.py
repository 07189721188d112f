"""Steps along the natural gradient beside steps along the gradient, in stochastic variational inference.

    python natural_gradient_black_box_svi.py [steps]

The natural gradient is the gradient divided by the Fisher information of the normal approximation, which is diagonal:
1 / deviation ** 2 for a mean, 2 for the logarithm of a deviation.
"""

import sys

import wengert.numpy as np
from black_box_svi import black_box_objective, funnel
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import sgd


def fisher_information(parameters):
    """Return the diagonal of the Fisher information: of the means, then of the logarithms of the deviations."""
    log_deviation = parameters[len(parameters) // 2 :]
    return np.concatenate([np.exp(-2.0 * log_deviation), 2.0 * np.ones(len(log_deviation))])


def main(steps=150):
    objective = black_box_objective(funnel, 2, 200)
    gradient = grad(objective)

    def natural_gradient(parameters, step):
        return gradient(parameters, step) / fisher_information(parameters)

    start = np.array([1.0, 1.0, -3.0, -3.0])
    first = np.mean([objective(start) for _ in range(20)])
    for name, function, size in (("gradient", gradient, 1e-3), ("natural gradient", natural_gradient, 0.1)):
        parameters = sgd(function, start, num_iters=steps, step_size=size)
        last = np.mean([objective(parameters) for _ in range(20)])
        print(f"{name}: loss {first:.4f} at first, {last:.4f} at last")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
