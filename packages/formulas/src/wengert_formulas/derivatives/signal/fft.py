"""Derivatives of Fourier transforms: they are linear, and the adjoint of each is a transform with the other sign."""

from __future__ import annotations

from collections.abc import Sequence

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, real


def of_real(
    grad: Tensor, self_shape: tuple[int, ...], dim: Sequence[int], normalization: int, onesided: bool, forward: bool
) -> Tensor:
    """The adjoint of a transform of real numbers: the real part of the full one of its gradient."""
    if onesided:
        rest = list(grad.shape)
        rest[dim[-1]] = self_shape[dim[-1]] - rest[dim[-1]]
        grad = wc.cat([grad, grad.new_zeros(rest)], dim[-1]) if rest[dim[-1]] else grad
    return real(wc._fft_c2c(grad, dim, normalization, not forward))


def to_real(grad: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int, forward: bool) -> Tensor:
    """The adjoint of a transform to real numbers: each bin whose conjugate was left out counts twice."""
    half = wc._fft_r2c(grad, dim, normalization, True, not forward)
    n = half.shape[dim[-1]]
    weights = [1.0 if k == 0 or 2 * k == last_dim_size else 2.0 for k in range(n)]
    twice = wc.tensor(weights, dtype=grad.dtype, device=grad.device)
    return half * twice.reshape([-1 if d == dim[-1] else 1 for d in range(grad.ndim)])


TABLE.linear(
    "_fft_c2c",
    self=lambda grad, dim, normalization, forward: wc._fft_c2c(grad, dim, normalization, not forward),
    node="FftC2CBackward0",
)
TABLE.linear("_fft_r2c", self=of_real, node="FftR2CBackward0")
TABLE.linear("_fft_c2r", self=to_real, node="FftC2RBackward0")
