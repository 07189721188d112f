"""The Wishart distribution."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.utils import is_number, lazy_property
from wengert_distributions.continuous.chi2 import Chi2
from wengert_distributions.multivariate.cholesky import expand_last, half_log_det
from wengert_distributions.multivariate.multivariate_normal import MATRICES, cholesky_factor

__all__ = ["Wishart"]


class Wishart(ExponentialFamily):
    """The Wishart distribution of positive definite matrices: the sum of x x^T over df normal vectors x.

    df: the degrees of freedom, above n - 1.   covariance_matrix: (..., n, n), that of x.   precision_matrix: its
    inverse, instead.   scale_tril: its lower Cholesky factor, instead.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wishart = wg.distributions.Wishart(wg.tensor(3.0), wg.eye(2))
    >>> wishart.mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support: ClassVar[constraints.Constraint] = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        choice = dict(zip(MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        matrices = [(name, matrix) for name, matrix in choice.items() if matrix is not None]
        if len(matrices) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified, got "
                f"{len(matrices)}."
            )
        name, matrix = matrices[0]
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        df = wg.tensor(df, dtype=matrix.dtype, device=matrix.device) if is_number(df) else df
        batch_shape, size = wg.broadcast_shapes(matrix.shape[:-2], df.shape), matrix.shape[-1]
        self.df: Tensor = df.expand(batch_shape)
        if (self.df <= size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        if (self.df < size).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        self.__dict__[name] = expand_last(matrix, batch_shape, 2)
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril: Tensor = cholesky_factor(name, matrix)
        self._dist_chi2 = self._diagonal()

    def _diagonal(self) -> Chi2:
        """Return the distribution of the squared diagonal of a standard sample's Cholesky factor."""
        factor = self._unbroadcasted_scale_tril
        lost = wg.arange(factor.shape[-1], dtype=factor.dtype, device=factor.device)
        return Chi2(self.df.unsqueeze(-1) - lost)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Wishart, _instance), Size(batch_shape)
        new._unbroadcasted_scale_tril = expand_last(self._unbroadcasted_scale_tril, batch_shape, 2)
        new.df = self.df.expand(batch_shape)
        for name in MATRICES:
            if name in self.__dict__:
                new.__dict__[name] = expand_last(self.__dict__[name], batch_shape, 2)
        new._dist_chi2 = self._dist_chi2.expand((*batch_shape, self._event_shape[-1]))
        return self._finish_expand(new, batch_shape, self._event_shape)

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraints that parameters satisfy, by their names."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    # ---- parameters and moments

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance."""
        return expand_last(self._unbroadcasted_scale_tril, self._batch_shape, 2)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the normal vectors."""
        factor = self._unbroadcasted_scale_tril
        return expand_last(factor @ factor.mT, self._batch_shape, 2)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return expand_last(wg.cholesky_inverse(self._unbroadcasted_scale_tril), self._batch_shape, 2)

    @property
    def mean(self) -> Tensor:
        """df times the covariance."""
        return self.df.view(*self._batch_shape, 1, 1) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """df - n - 1 times the covariance; NaN where that is not positive."""
        factor = self.df - self._event_shape[-1] - 1
        factor = factor.masked_fill(factor <= 0, wg.nan)
        return factor.view(*self._batch_shape, 1, 1) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """The variances of the elements."""
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(*self._batch_shape, 1, 1) * (covariance.pow(2) + outer)

    # ---- samples

    def _bartlett_sampling(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples by Bartlett's decomposition: a Cholesky factor of chi and normal numbers."""
        size, diagonal = self._event_shape[-1], self._dist_chi2.rsample(sample_shape).sqrt()
        noise = diagonal.clamp(min=wg.finfo(diagonal.dtype).eps).diag_embed()
        below = wg.randn((*noise.shape[:-2], size, size), dtype=noise.dtype, device=noise.device).tril(-1)
        factor = self._unbroadcasted_scale_tril @ (noise + below)
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int = 10) -> Tensor:
        """Return samples that are differentiable by the parameters.

        max_try_correction: how often samples that rounding has made singular are drawn again.
        """
        sample = self._bartlett_sampling(sample_shape)
        for attempt in range(max_try_correction + 1):
            singular = ~self.support.check(sample)
            if attempt == max_try_correction or not singular.any():
                break
            if attempt == 0:
                warnings.warn("Singular sample detected.", stacklevel=2)
            sample = wg.where(singular[..., None, None], self._bartlett_sampling(sample_shape), sample)
        return sample

    # ---- probabilities

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        nu, size, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        trace = wg.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(-1)
        log_normalizer = nu * (size * math.log(2) / 2 + half_log_det(factor)) + (nu / 2).mvlgamma(size)
        return (nu - size - 1) / 2 * wg.linalg.slogdet(value).logabsdet - trace / 2 - log_normalizer

    def entropy(self) -> Tensor:
        """Return the entropy."""
        nu, size = self.df, self._event_shape[-1]
        halves = wg.arange(size, dtype=nu.dtype, device=nu.device) / 2
        mean_log_det = ((nu / 2).unsqueeze(-1) - halves).digamma().sum(-1)
        scale = (size + 1) * (size * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril))
        return scale + (nu / 2).mvlgamma(size) - (nu - size - 1) / 2 * mean_log_det + nu * size / 2

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        size = self._event_shape[-1]
        shape = y + (size + 1) / 2
        return shape * (size * math.log(2) - wg.linalg.slogdet(-2 * x).logabsdet) + shape.mvlgamma(size)
