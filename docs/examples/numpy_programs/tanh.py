"""Derivatives of order one to six of a function that is written out: tanh, from exponentials.

    python tanh.py [orders]

``elementwise_grad`` of ``elementwise_grad`` of ... is compared with the derivatives as polynomials in tanh(x).
"""

import sys

import wengert.numpy as np
from wengert.numpy import elementwise_grad


def tanh(x):
    """Return the hyperbolic tangent."""
    decay = np.exp(-2.0 * x)
    return (1.0 - decay) / (1.0 + decay)


def main(orders=6):
    x = np.linspace(-3.0, 3.0, 61)
    slope = np.polynomial.Polynomial([1.0, 0.0, -1.0])  # d tanh / dx = 1 - tanh ** 2
    derivative, polynomial = tanh, np.polynomial.Polynomial([0.0, 1.0])
    for order in range(1, orders + 1):
        derivative, polynomial = elementwise_grad(derivative), polynomial.deriv() * slope
        expected = polynomial(np.tanh(x))
        error = np.max(np.abs(derivative(x) - expected)) / np.max(np.abs(expected))
        print(f"order {order}: at 1 {derivative(1.0):10.5f}, max relative error {error:.1e}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
