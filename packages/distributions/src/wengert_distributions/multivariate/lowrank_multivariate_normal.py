"""The multivariate normal distribution whose covariance is of low rank, but for its diagonal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import _standard_normal, lazy_property
from wengert_distributions.multivariate.cholesky import expand_last, half_log_det, mahalanobis, matvec

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """The multivariate normal distribution with the covariance W W^T + D, where W is thin and D diagonal.

    All is computed from the small capacitance matrix I + W^T D^-1 W (the matrix determinant lemma and the Woodbury
    identity), never from a covariance of size n x n.

    loc: (..., n), the mean.   cov_factor: (..., n, m), W.   cov_diag: (..., n), the diagonal of D, positive.
    validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> normal = wg.distributions.LowRankMultivariateNormal(wg.zeros(2), wg.tensor([[1.0], [0.0]]), wg.ones(2))
    >>> normal.variance, normal.log_prob(wg.zeros(2))
    (tensor([2., 1.]), tensor(-2.1845))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support: ClassVar[constraints.Constraint] = constraints.real_vector
    has_rsample = True

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None:
        check_shapes(loc, cov_factor, cov_diag)
        try:
            batch_shape = wg.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc: Tensor = expand_last(loc, batch_shape, 1)
        self.cov_factor: Tensor = expand_last(cov_factor, batch_shape, 2)
        self.cov_diag: Tensor = expand_last(cov_diag, batch_shape, 1)
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = wg.linalg.cholesky(plus_identity(scaled_transpose(cov_factor, cov_diag) @ cov_factor))
        super().__init__(batch_shape, loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(LowRankMultivariateNormal, _instance), Size(batch_shape)
        new.loc = expand_last(self.loc, batch_shape, 1)
        new.cov_diag = expand_last(self.cov_diag, batch_shape, 1)
        new.cov_factor = expand_last(self.cov_factor, batch_shape, 2)
        new._unbroadcasted_cov_factor = self._unbroadcasted_cov_factor
        new._unbroadcasted_cov_diag = self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril
        return self._finish_expand(new, batch_shape, self._event_shape)

    @property
    def mean(self) -> Tensor:
        """The mean vector."""
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return expand_last(variance, self._batch_shape, 1)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance: that of I + D^-1/2 W W^T D^-1/2, scaled."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        factor = self._unbroadcasted_cov_factor / root
        return expand_last(root * wg.linalg.cholesky(plus_identity(factor @ factor.mT)), self._batch_shape, 2)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return expand_last(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed(), self._batch_shape, 2)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance, by the Woodbury identity."""
        half = self._solved_factor()
        precision = self._unbroadcasted_cov_diag.reciprocal().diag_embed() - half.mT @ half
        return expand_last(precision, self._batch_shape, 2)

    def _scaled_transpose(self) -> Tensor:
        """Return W^T D^-1."""
        return scaled_transpose(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag)

    def _solved_factor(self) -> Tensor:
        """Return the A with which the inverse of the covariance is D^-1 - A^T A."""
        return wg.linalg.solve_triangular(self._capacitance_tril, self._scaled_transpose(), upper=False)

    def _log_det(self) -> Tensor:
        """Return the logarithm of the determinant of the covariance."""
        return 2 * half_log_det(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _mahalanobis(self, x: Tensor) -> Tensor:
        """Return the squared Mahalanobis lengths of vectors."""
        inner = mahalanobis(self._capacitance_tril, matvec(self._scaled_transpose(), x))
        return (x.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - inner

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        shape = self._extended_shape(sample_shape)
        dtype, device = self.loc.dtype, self.loc.device
        common = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], dtype, device)
        own = _standard_normal(shape, dtype, device)
        return self.loc + matvec(self._unbroadcasted_cov_factor, common) + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + self._mahalanobis(value - self.loc))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)


def scaled_transpose(factor: Tensor, diagonal: Tensor) -> Tensor:
    """Return W^T D^-1."""
    return factor.mT / diagonal.unsqueeze(-2)


def plus_identity(matrix: Tensor) -> Tensor:
    """Return matrices plus the identity."""
    return matrix + wg.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)


def check_shapes(loc: Tensor, cov_factor: Tensor, cov_diag: Tensor) -> None:
    """Raise ValueError where the parameters are not of one size."""
    if loc.dim() < 1:
        raise ValueError("loc must be at least one-dimensional.")
    size = loc.shape[-1]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2] != size:
        raise ValueError(
            f"cov_factor must be a batch of matrices with shape {size} x m, got {tuple(cov_factor.shape)}"
        )
    if cov_diag.dim() < 1 or cov_diag.shape[-1] != size:
        raise ValueError(
            f"cov_diag must be a batch of vectors with shape {loc.shape[-1:]}, got {tuple(cov_diag.shape)}"
        )
