"""The multivariate normal and the Dirichlet distribution, with SciPy's methods, arguments and values."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor
from wengert.special import gammaln, psi, xlogy

from wengert_numpy import errors
from wengert_numpy.autograd_scipy.dispatch import double
from wengert_numpy.autograd_scipy.stats.distributions import Methods

_stats = import_module("scipy.stats")

LOG_2PI = math.log(2 * math.pi)
RTOL = 1e6 * float(np.finfo(np.float64).eps)
"""Eigenvalues below this times the largest one count as zero, as in SciPy."""


def squeeze(value: Tensor) -> Tensor:
    """Return a result without axes of length 1, as SciPy gives it."""
    return value.squeeze()


class MultivariateNormal(Methods):
    """The multivariate normal distribution. Of ``cov`` the lower triangle is read."""

    METHODS = ("pdf", "logpdf", "cdf", "logcdf", "entropy")

    def bind(self, name: str, mean: Any, cov: Any) -> tuple[Tensor, Tensor]:
        """Return the mean, a vector, and the covariance, a matrix; a number or a vector is its diagonal.

        ValueError for other shapes.
        """
        cov = double(1.0 if cov is None else cov, name, "cov")
        dim = cov.shape[0] if mean is None and cov.ndim else 1
        mean = wg.zeros(dim, dtype=wg.float64) if mean is None else double(mean, name, "mean")
        mean = mean.reshape(1) if not mean.ndim else mean
        if mean.ndim != 1:
            raise ValueError(f"Array 'mean' must be a vector of length {mean.numel()}.")
        dim = mean.shape[0]
        if cov.ndim < 2:
            cov = wg.diag(wg.broadcast_to(cov, (dim,)))
        if cov.shape != (dim, dim):
            raise ValueError(
                f"Array 'cov' must be square, of the length of 'mean': expected ({dim}, {dim}), got {tuple(cov.shape)}"
            )
        return mean, (cov + cov.mT) / 2  # a gradient for the whole matrix, not for the triangle that is factored

    def deviations(self, x: Any, mean: Tensor, name: str) -> Any:
        """Return x - mean, whose last axis has the components; a vector of numbers in one dimension."""
        x = double(x, name, "x")
        if not x.ndim:
            x = x.reshape(1)
        elif x.ndim == 1:
            x = x.unsqueeze(1 if mean.shape[0] == 1 else 0)
        if x.shape[-1] != mean.shape[0]:
            raise ValueError(f"{name}(): argument 'x' has {x.shape[-1]} components, the mean has {mean.shape[0]}")
        return x - mean

    def tensor_logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Tensor:
        """Return the logarithm of the density."""
        mean, cov = self.bind("logpdf", mean, cov)
        delta = self.deviations(x, mean, "logpdf")
        if allow_singular:
            return squeeze(singular_logpdf(delta, cov))
        factor = positive_factor(cov)
        whitened = wg.linalg.solve_triangular(factor, delta.unsqueeze(-1), upper=False).squeeze(-1)
        log_det = 2 * wg.sum(wg.log(wg.diagonal(factor)))
        return squeeze(-0.5 * (cov.shape[0] * LOG_2PI + log_det + wg.sum(whitened**2, dim=-1)))

    def tensor_pdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Tensor:
        """Return the density."""
        return wg.exp(self.tensor_logpdf(x, mean, cov, allow_singular))

    def tensor_entropy(self, mean: Any = None, cov: Any = 1) -> Any:
        """Return the differential entropy."""
        _, cov = self.bind("entropy", mean, cov)
        log_det = 2 * wg.sum(wg.log(wg.diagonal(positive_factor(cov))))
        return 0.5 * (cov.shape[0] * (LOG_2PI + 1) + log_det)

    def tensor_cdf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise TypeError: SciPy integrates by random points, which has no derivative."""
        raise errors.unsupported_function("scipy.stats.multivariate_normal.cdf")

    def tensor_logcdf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise TypeError: SciPy integrates by random points, which has no derivative."""
        raise errors.unsupported_function("scipy.stats.multivariate_normal.logcdf")


def positive_factor(cov: Tensor) -> Any:
    """Return the Cholesky factor. LinAlgError, in SciPy's words, for a matrix that is not positive definite."""
    try:
        return np.linalg.cholesky(cov)
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError(
            "When `allow_singular is False`, the input matrix must be symmetric positive definite."
        ) from error


def singular_logpdf(delta: Tensor, cov: Tensor) -> Tensor:
    """Return the density's logarithm on the range of a covariance that may be singular, -inf beside the range.

    The product of the nonzero eigenvalues is the determinant of cov + P, with the projection P on the null space, so
    that equal eigenvalues are no singularity of the derivative.
    """
    cov = wg.tril(cov) + wg.tril(cov, -1).mT
    inverse = wg.linalg.pinv(cov, rtol=RTOL, hermitian=True)
    null = wg.eye(cov.shape[0], dtype=cov.dtype) - cov @ inverse
    values = wg.linalg.eigvalsh(cov)
    smallest = RTOL * wg.amax(wg.abs(values))
    if contradicts(values >= -smallest):
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    rank = wg.sum(values > smallest)
    distance = wg.sum((delta @ inverse) * delta, dim=-1)
    log_det = wg.linalg.slogdet(cov + (null + null.mT) / 2).logabsdet
    outside = wg.linalg.vector_norm(delta @ null, dim=-1) >= 1e3 * smallest
    return wg.where(outside, -math.inf, -0.5 * (rank * LOG_2PI + log_det + distance))


class Dirichlet(Methods):
    """The Dirichlet distribution: x has the components along its first axis, and may lack the last one."""

    METHODS = ("pdf", "logpdf", "mean", "var", "entropy")

    def bind(self, name: str, alpha: Any) -> Tensor:
        """Return the parameter vector. ValueError where it is none, or not positive."""
        a = double(alpha, name, "alpha")
        if a.ndim != 1:
            raise ValueError(f"Parameter vector 'a' must be one dimensional, but a.shape = {tuple(a.shape)}.")
        if contradicts(a > 0):
            raise ValueError("All parameters must be greater than 0")
        return a

    def quantiles(self, x: Any, a: Tensor, name: str) -> Any:
        """Return x with all components. ValueError, in SciPy's words, outside of the simplex."""
        x = double(x, name, "x")
        if x.shape[0] == a.shape[0] - 1:
            x = wg.cat([x, 1 - wg.sum(x, dim=0, keepdim=True)])
        if x.shape[0] != a.shape[0]:
            raise ValueError(
                "Vector 'x' must have either the same number of entries as, or one entry fewer than, parameter vector "
                f"'a', but alpha.shape = {tuple(a.shape)} and x.shape = {tuple(x.shape)}."
            )
        if contradicts(x >= 0) or contradicts(x <= 1):
            raise ValueError("Each entry in 'x' must be greater than or equal to zero, and smaller or equal one.")
        if contradicts(wg.abs(wg.sum(x, dim=0) - 1) <= TOLERANCE):
            raise ValueError("The input vector 'x' must lie within the normal simplex.")
        column = a.reshape(-1, *(1,) * (x.ndim - 1))
        if contradicts((x > 0) | (column >= 1)):
            raise ValueError("Each entry in 'x' must be greater than zero if its alpha is less than one.")
        return x

    def tensor_logpdf(self, x: Any, alpha: Any) -> Tensor:
        """Return the logarithm of the density."""
        a = self.bind("logpdf", alpha)
        x = self.quantiles(x, a, "logpdf")
        column = a.reshape(-1, *(1,) * (x.ndim - 1))
        return squeeze(wg.sum(xlogy(column - 1, x), dim=0) - log_beta(a))

    def tensor_pdf(self, x: Any, alpha: Any) -> Tensor:
        """Return the density."""
        return wg.exp(self.tensor_logpdf(x, alpha))

    def tensor_mean(self, alpha: Any) -> Tensor:
        """Return the mean."""
        a = self.bind("mean", alpha)
        return squeeze(a / wg.sum(a))

    def tensor_var(self, alpha: Any) -> Tensor:
        """Return the variances."""
        a = self.bind("var", alpha)
        total = wg.sum(a)
        return squeeze(a * (total - a) / (total**2 * (total + 1)))

    def tensor_entropy(self, alpha: Any) -> Tensor:
        """Return the differential entropy."""
        a = self.bind("entropy", alpha)
        total = wg.sum(a)
        return squeeze(log_beta(a) + (total - a.shape[0]) * psi(total) - wg.sum((a - 1) * psi(a)))


TOLERANCE = 1e-8
"""The distance of a sum from 1 that SciPy allows."""


def contradicts(condition: Tensor) -> bool:
    """Return whether a condition fails for an element; False inside of vmap, where a batch cannot decide."""
    try:
        return not bool(condition.all())
    except RuntimeError:
        return False


def log_beta(a: Tensor) -> Tensor:
    """Return the logarithm of the multivariate beta function."""
    return wg.sum(gammaln(a)) - gammaln(wg.sum(a))


multivariate_normal = MultivariateNormal(_stats.multivariate_normal)
dirichlet = Dirichlet(_stats.dirichlet)
