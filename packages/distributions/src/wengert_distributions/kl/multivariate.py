"""Divergences of distributions of vectors."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.kl.registry import register_kl
from wengert_distributions.multivariate.cholesky import half_log_det, mahalanobis, sum_of_squares
from wengert_distributions.multivariate.dirichlet import Dirichlet
from wengert_distributions.multivariate.lowrank_multivariate_normal import LowRankMultivariateNormal
from wengert_distributions.multivariate.multivariate_normal import MultivariateNormal


@register_kl(Dirichlet, Dirichlet)
def kl_dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    """Return the difference of log normalizers, less that of parameters times the mean of the statistics."""
    total = p.concentration.sum(-1, keepdim=True)
    mean_log = p.concentration.digamma() - total.digamma()
    log_normalizers = q._log_normalizer(q.concentration) - p._log_normalizer(p.concentration)
    return log_normalizers + ((p.concentration - q.concentration) * mean_log).sum(-1)


def half_sum(p: Any, q: Any, log_dets: Tensor, trace: Tensor, distance: Tensor) -> Tensor:
    """Return (log det Sq / det Sp + tr(Sq^-1 Sp) + the squared distance of the means - n) / 2."""
    size: int = p.event_shape[0]
    return (log_dets + trace + distance - size) / 2


def check_events(p: Any, q: Any, names: str) -> None:
    """Raise ValueError where two distributions have vectors of different sizes."""
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {names} with different event shapes cannot be computed: "
            f"{tuple(p.event_shape)} and {tuple(q.event_shape)}"
        )


def solved_trace(factor: Tensor, matrix: Tensor) -> Tensor:
    """Return tr((L L^T)^-1 M M^T)."""
    return sum_of_squares(wg.linalg.solve_triangular(factor, matrix, upper=False))


def lowrank_trace(q: LowRankMultivariateNormal, factor: Tensor) -> Tensor:
    """Return tr(Sq^-1 M M^T), where Sq^-1 = D^-1 - A^T A."""
    scaled = factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)
    return sum_of_squares(scaled) - sum_of_squares(q._solved_factor() @ factor)


@register_kl(MultivariateNormal, MultivariateNormal)
def kl_multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    """Return half_sum, by Cholesky factors."""
    check_events(p, q, "Multivariate Normals")
    factor_p, factor_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    log_dets = 2 * (half_log_det(factor_q) - half_log_det(factor_p))
    return half_sum(p, q, log_dets, solved_trace(factor_q, factor_p), mahalanobis(factor_q, q.loc - p.loc))


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def kl_lowrank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    """Return half_sum, by capacitance matrices."""
    check_events(p, q, "Low Rank Multivariate Normals")
    diagonal = p._unbroadcasted_cov_diag
    own = (diagonal / q._unbroadcasted_cov_diag).sum(-1)
    shared = sum_of_squares(q._solved_factor() * diagonal.sqrt().unsqueeze(-2))
    trace = own - shared + lowrank_trace(q, p._unbroadcasted_cov_factor)
    return half_sum(p, q, q._log_det() - p._log_det(), trace, q._mahalanobis(q.loc - p.loc))


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def kl_multivariate_normal_lowrank(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    """Return half_sum, by the capacitance matrix of q."""
    check_events(p, q, "(Low Rank) Multivariate Normals")
    factor = p._unbroadcasted_scale_tril
    log_dets = q._log_det() - 2 * half_log_det(factor)
    return half_sum(p, q, log_dets, lowrank_trace(q, factor), q._mahalanobis(q.loc - p.loc))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def kl_lowrank_multivariate_normal(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    """Return half_sum, by the Cholesky factor of q."""
    check_events(p, q, "(Low Rank) Multivariate Normals")
    factor = q._unbroadcasted_scale_tril
    diagonal = p._unbroadcasted_cov_diag.sqrt().diag_embed()
    trace = solved_trace(factor, p._unbroadcasted_cov_factor) + solved_trace(factor, diagonal)
    log_dets = 2 * half_log_det(factor) - p._log_det()
    return half_sum(p, q, log_dets, trace, mahalanobis(factor, q.loc - p.loc))
