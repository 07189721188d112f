"""Differentiate a loop whose length depends on the input: the Taylor series of sine.

    python sinusoid.py

Terms are added until they are small. The derivative of the sum is compared with cosine.
"""

import wengert.numpy as np
from wengert.numpy import grad


def sine(x):
    """Return the Taylor series of sine, up to the first term below 1e-12."""
    total = term = x
    order = 1
    while np.abs(term) > 1e-12:
        term = -term * x * x / ((order + 1) * (order + 2))
        total = total + term
        order += 2
    return total


def main():
    for x in (0.1, 1.0, 3.0):
        error = abs(grad(sine)(x) - np.cos(x))
        second = abs(grad(grad(sine))(x) + np.sin(x))
        print(f"x {x}: derivative {grad(sine)(x):.9f}, error {error:.1e}, of the second derivative {second:.1e}")


if __name__ == "__main__":
    main()
