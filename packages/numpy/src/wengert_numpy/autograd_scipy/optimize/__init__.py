"""``wengert.scipy.optimize``: SciPy's optimizers with derivatives by wengert.

``minimize``, ``least_squares``, ``root``, ``fsolve``, ``root_scalar``, ``curve_fit`` and ``NonlinearConstraint`` are
called as SciPy's, and need no derivatives. For everything else ``value_and_grad``, ``grad``, ``jac``, ``hess`` and
``hessp`` give them in SciPy's form; ``outputs`` gives the values of a function of tensors.

>>> import scipy.optimize, numpy as np
>>> scipy.optimize.minimize(value_and_grad(rosen), np.array([1.3, 0.7]), jac=True).x.round(4)
array([1., 1.])
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from wengert_numpy.autograd_scipy.derivatives import grad, hess, hessp, jac, outputs, value_and_grad
from wengert_numpy.autograd_scipy.dispatch import for_tensors, names_of
from wengert_numpy.autograd_scipy.optimize.constraints import NonlinearConstraint
from wengert_numpy.autograd_scipy.optimize.equations import curve_fit, fsolve, least_squares, root, root_scalar
from wengert_numpy.autograd_scipy.optimize.minimization import minimize

_optimize = import_module("scipy.optimize")


@for_tensors(_optimize.rosen)
def rosen(x: Any) -> Any:
    """Return the Rosenbrock function, over the first axis."""
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(dim=0)


OWN = {one.__name__: one for one in (NonlinearConstraint, curve_fit, fsolve, grad, hess, hessp, jac, least_squares,
                                     minimize, outputs, root, root_scalar, rosen, value_and_grad)}  # fmt: skip
"""The names of this module that are not SciPy's own."""
__all__ = sorted(names := names_of(_optimize) | OWN)
globals().update(names)
del names


def __getattr__(name: str) -> Any:
    return getattr(_optimize, name)
