"""Estimate the parameters of a negative binomial distribution by maximum likelihood, and their errors.

    python negative_binomial_maxlike.py [samples]

The errors come from the Hessian at the maximum: the observed Fisher information.
"""

import sys

import wengert.numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln
from wengert.numpy import hessian, value_and_grad


def log_probabilities(parameters, counts):
    """Return the logarithm of the probability of each count.

    parameters: the logarithm of the number of successes, and the score of the probability of a success.
    """
    number, probability = np.exp(parameters[0]), expit(parameters[1])
    coefficients = gammaln(counts + number) - gammaln(number) - gammaln(counts + 1.0)
    return coefficients + number * np.log(probability) + counts * np.log(1.0 - probability)


def main(samples=2000):
    rng = np.random.default_rng(0)
    counts = rng.negative_binomial(4.0, 0.3, size=samples).astype(float)

    def objective(parameters):
        return -np.sum(log_probabilities(parameters, counts))

    start = np.zeros(2)
    result = minimize(value_and_grad(objective), start, jac=True, method="BFGS")
    errors = np.sqrt(np.diag(np.linalg.inv(hessian(objective)(result.x))))
    print(f"loss {objective(start):.4f} at first, {result.fun:.4f} at last")
    print(f"number of successes {np.exp(result.x[0]):.2f} (4), probability {expit(result.x[1]):.3f} (0.3)")
    print(f"standard errors of the parameters {errors[0]:.3f}, {errors[1]:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
