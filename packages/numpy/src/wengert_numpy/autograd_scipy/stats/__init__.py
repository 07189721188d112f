"""``wengert.scipy.stats``: SciPy's distributions and statistics, some with derivatives of their densities.

Those of norm, t, beta, gamma, chi2, expon, uniform, logistic, laplace, cauchy, poisson, bernoulli, multivariate_normal
and dirichlet: densities, distribution functions, quantiles and moments, by the variable and all parameters.

>>> import wengert as wg
>>> scale = wg.tensor(2.0, dtype=wg.float64, requires_grad=True)
>>> norm(loc=1.0, scale=scale).logpdf(3.0).backward()
>>> scale.grad
tensor(0., dtype=torch.float64)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from wengert_numpy.autograd_scipy.dispatch import names_of
from wengert_numpy.autograd_scipy.stats.multivariate import dirichlet, multivariate_normal
from wengert_numpy.autograd_scipy.stats.univariate import UNIVARIATE

_stats = import_module("scipy.stats")

OWN = {one.name: one for one in (*UNIVARIATE, dirichlet, multivariate_normal)}
"""The distributions that have derivatives, by their names."""
__all__ = sorted(names := names_of(_stats) | OWN)
globals().update(names)
del names


def __getattr__(name: str) -> Any:
    return getattr(_stats, name)
