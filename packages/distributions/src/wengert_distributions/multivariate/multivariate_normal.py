"""The multivariate normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import _standard_normal, lazy_property
from wengert_distributions.multivariate.cholesky import (
    expand_last,
    factor_of_inverse,
    half_log_det,
    mahalanobis,
    matvec,
)

__all__ = ["MultivariateNormal"]

MATRICES = ("covariance_matrix", "precision_matrix", "scale_tril")
"""The parameters of which a distribution has one; the others are computed from it."""


class MultivariateNormal(Distribution):
    """The multivariate normal distribution, with a mean vector and one of three matrices.

    loc: (..., n), the mean.   covariance_matrix: (..., n, n), positive definite.   precision_matrix: its inverse,
    instead.   scale_tril: its lower Cholesky factor, instead; this is the fastest.   validate_args: whether to check
    arguments.

    >>> import wengert as wg
    >>> normal = wg.distributions.MultivariateNormal(wg.zeros(2), wg.eye(2))
    >>> normal.log_prob(wg.tensor([[0.0, 0.0], [1.0, 1.0]]))
    tensor([-1.8379, -2.8379])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support: ClassVar[constraints.Constraint] = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        choice = dict(zip(MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        matrices = [(name, matrix) for name, matrix in choice.items() if matrix is not None]
        if len(matrices) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified, got "
                f"{len(matrices)}."
            )
        name, matrix = matrices[0]
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = wg.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = expand_last(matrix, batch_shape, 2)
        self.loc: Tensor = expand_last(loc, batch_shape, 1)
        super().__init__(batch_shape, loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril: Tensor = cholesky_factor(name, matrix)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(MultivariateNormal, _instance), Size(batch_shape)
        new.loc = expand_last(self.loc, batch_shape, 1)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in MATRICES:
            if name in self.__dict__:
                new.__dict__[name] = expand_last(self.__dict__[name], batch_shape, 2)
        return self._finish_expand(new, batch_shape, self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance."""
        return expand_last(self._unbroadcasted_scale_tril, self._batch_shape, 2)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_scale_tril
        return expand_last(factor @ factor.mT, self._batch_shape, 2)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return expand_last(wg.cholesky_inverse(self._unbroadcasted_scale_tril), self._batch_shape, 2)

    @property
    def mean(self) -> Tensor:
        """The mean vector."""
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        return expand_last(self._unbroadcasted_scale_tril.pow(2).sum(-1), self._batch_shape, 1)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        return self.loc + matvec(
            self._unbroadcasted_scale_tril, _standard_normal(shape, self.loc.dtype, self.loc.device)
        )

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        distance = mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + half_log_det(self._unbroadcasted_scale_tril)).expand(self._batch_shape)


def cholesky_factor(name: str, matrix: Tensor) -> Tensor:
    """Return the lower Cholesky factor of the covariance, from one of MATRICES."""
    if name == "scale_tril":
        return matrix
    return wg.linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)
