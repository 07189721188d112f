"""Gradient descent in a space of functions, whose inner product comes from a kernel.

    python rkhs.py [steps]

A function is a sum of kernels with coefficients. The loss depends on its values at the data; so its gradient in the
space has the kernels at the data, with the derivatives by the values as coefficients.
"""

import sys

import wengert.numpy as np
from wengert.numpy import grad


class KernelFunction:
    """A function of the space: the sum of coefficients times kernels around points."""

    def __init__(self, points, coefficients):
        self.points, self.coefficients = points, coefficients

    def __call__(self, x):
        return np.dot(kernel(x, self.points), self.coefficients)

    def __add__(self, other):
        points = np.concatenate([self.points, other.points])
        return KernelFunction(points, np.concatenate([self.coefficients, other.coefficients]))

    def __rmul__(self, factor):
        return KernelFunction(self.points, factor * self.coefficients)

    def norm(self):
        """Return the norm of the space."""
        return np.sqrt(np.dot(self.coefficients, self(self.points)))

    def merge(self):
        """Return the same function with one kernel for each point."""
        points, inverse = np.unique(self.points, return_inverse=True)
        return KernelFunction(points, np.bincount(inverse, weights=self.coefficients))


def kernel(x, z):
    """Return the kernel of numbers x [n] and z [m]."""
    return np.exp(-0.5 * (x[:, None] - z[None, :]) ** 2 / 0.4**2)


def functional_grad(loss, function, x):
    """Return the gradient in the space of a loss that depends on the function's values at x."""
    return KernelFunction(x, grad(loss)(function(x)))


def main(steps=200):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-2.0, 2.0, size=40))
    y = np.sign(x) * np.abs(x) ** 0.5 + 0.1 * rng.standard_t(2.0, size=40)

    def loss(values):
        return np.mean(np.sqrt(1.0 + ((values - y) / 0.1) ** 2) - 1.0) * 0.1  # little weight of outliers

    function = KernelFunction(x, np.zeros(40))
    first = loss(function(x))
    for _ in range(steps):
        step = functional_grad(loss, function, x)
        function = (function + -0.3 * step + -1e-3 * function).merge()
    grid = np.linspace(-1.8, 1.8, 50)
    error = np.sqrt(np.mean((function(grid) - np.sign(grid) * np.abs(grid) ** 0.5) ** 2))
    print(f"loss {first:.4f} at first, {loss(function(x)):.4f} at last")
    print(f"norm {function.norm():.2f}, error on a grid {error:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
