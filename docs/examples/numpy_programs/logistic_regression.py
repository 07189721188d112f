"""Fit a logistic regression by gradient descent.

    python logistic_regression.py [steps]

The data are points on two sides of a plane; the gradient is checked by differences first.
"""

import sys

import wengert.numpy as np
from wengert.numpy import grad
from wengert.numpy.test_util import check_grads


def log_likelihoods(weights, inputs, signs):
    """Return the logarithm of the probability of each label, which is +1 or -1."""
    return -np.logaddexp(0.0, -signs * np.dot(inputs, weights))


def loss(weights, inputs, signs):
    """Return the mean negative log likelihood and a little of the weights' squares."""
    return -np.mean(log_likelihoods(weights, inputs, signs)) + 1e-3 * np.dot(weights, weights)


def main(steps=100):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(200, 5))
    signs = np.sign(np.dot(inputs, rng.normal(size=5)) + 0.1 * rng.normal(size=200))
    weights = np.zeros(5)
    check_grads(loss, modes=["rev"])(weights, inputs, signs)

    gradient = grad(loss)
    first = loss(weights, inputs, signs)
    for _ in range(steps):
        weights = weights - 1.0 * gradient(weights, inputs, signs)
    accuracy = np.mean(np.sign(np.dot(inputs, weights)) == signs)
    print(f"loss {first:.4f} at first, {loss(weights, inputs, signs):.4f} at last; accuracy {accuracy:.1%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
