"""Minimize Rosenbrock's function by SciPy, with a gradient and Hessian-vector products that nobody wrote down.

    python rosenbrock.py [dimensions]

The Hessian is never formed: its products with vectors are derivatives of the gradient.
"""

import sys

import wengert.numpy as np
from scipy.optimize import minimize
from wengert.numpy import hessian_vector_product, value_and_grad


def rosenbrock(x):
    """Return Rosenbrock's function in any number of dimensions; its minimum is 0 at (1, 1, ...)."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def main(dimensions=8):
    start = np.zeros(dimensions)
    objective = value_and_grad(rosenbrock)
    for method, options in (("BFGS", {}), ("Newton-CG", {"hessp": hessian_vector_product(rosenbrock)})):
        result = minimize(objective, start, jac=True, method=method, tol=1e-9, **options)
        print(f"{method}: loss {rosenbrock(start):.4f} at first, {result.fun:.4f} at last, {result.nfev} evaluations")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
