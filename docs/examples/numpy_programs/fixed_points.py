"""Differentiate a fixed point without differentiating the iteration: the square root by Newton's method.

    python fixed_points.py

The derivative solves a linear fixed point itself: the implicit function theorem.
"""

import wengert.numpy as np
from wengert.numpy import grad
from wengert.numpy.misc.fixed_points import fixed_point


def newton_step(a):
    """Return the step whose fixed point is the square root of a."""
    return lambda x: 0.5 * (x + a / x)


def square_root(a, start=10.0):
    """Return the fixed point, up to 1e-12."""
    return fixed_point(newton_step, a, start, lambda x, y: np.abs(x - y), 1e-12)


def main():
    for a in (0.5, 2.0, 9.0):
        error = abs(grad(square_root)(a) - 0.5 / np.sqrt(a))
        second = abs(grad(grad(square_root))(a) + 0.25 * a**-1.5)
        print(f"a {a}: root {square_root(a):.6f}, error of the derivative {error:.1e}, of the second one {second:.1e}")


if __name__ == "__main__":
    main()
