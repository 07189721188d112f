"""Transforms whose outputs are matrices: Cholesky factors, and positive definite ones."""

from __future__ import annotations

import math
from typing import Any

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import pad, softplus

from wengert_distributions import constraints
from wengert_distributions.base.utils import tril_matrix_to_vec, vec_to_tril_matrix
from wengert_distributions.transforms.base import Parameterless, Transform
from wengert_distributions.transforms.composite import too_few_dimensions

__all__ = ["CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform"]


def shift_right(x: Tensor) -> Tensor:
    """Return vectors without the last element, with a 1 in front."""
    return pad(x[..., :-1], [1, 0], value=1)


class CorrCholeskyTransform(Transform):
    """A bijection of n (n - 1) / 2 real numbers and Cholesky factors of n x n correlation matrices.

    The numbers fill the rows below the diagonal; their hyperbolic tangents are partial correlations. Each row then gets
    the length 1, by breaking parts off a stick.

    >>> import wengert as wg
    >>> wg.distributions.transforms.CorrCholeskyTransform()(wg.tensor([0.0]))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain: Any = constraints.real_vector
    codomain: Any = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = wg.finfo(x.dtype).eps
        below = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        lengths = (1 - below**2).sqrt().cumprod(-1)
        return (below + wg.eye(below.shape[-1], dtype=x.dtype, device=x.device)) * shift_right(lengths)

    def _inverse(self, y: Tensor) -> Tensor:
        rest = shift_right(1 - (y * y).cumsum(-1))
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rest, diag=-1).sqrt()
        return (partial.log1p() - partial.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        """Return that of the numbers and the elements of the factor below its diagonal."""
        rest = 1 - (y * y).cumsum(-1)
        # The diagonal -2 saves the shift to the right, and works for 2 x 2 matrices, too.
        stick_breaking = 0.5 * tril_matrix_to_vec(rest, diag=-2).log().sum(-1)
        tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return stick_breaking + tanh

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape (..., n, n) for an input of the shape (..., n (n - 1) / 2)."""
        if len(shape) < 1:
            raise too_few_dimensions(shape)
        length = shape[-1]
        size = round((0.25 + 2 * length) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != length:
            raise ValueError(f"Input is not a flattened lower-diagonal number: {length} is not n (n - 1) / 2")
        return shape[:-1] + (size, size)  # noqa: RUF005 - a Size stays one

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape (..., n (n - 1) / 2) for an output of the shape (..., n, n)."""
        if len(shape) < 2:
            raise too_few_dimensions(shape)
        if shape[-2] != shape[-1]:
            raise ValueError(f"Input is not square: its shape is {tuple(shape)}")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)  # noqa: RUF005


class LowerCholeskyTransform(Parameterless):
    """Lower triangular matrices with positive diagonals: the exponentials of the diagonals, and what is below them.

    >>> import wengert as wg
    >>> wg.distributions.LowerCholeskyTransform()(wg.tensor([[0.0, 5.0], [2.0, 0.0]]))
    tensor([[1., 0.],
            [2., 1.]])
    """

    domain: Any = constraints.independent(constraints.real, 2)
    codomain: Any = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Parameterless):
    """Positive definite matrices: the products of Cholesky factors and their transposes.

    >>> import wengert as wg
    >>> wg.distributions.PositiveDefiniteTransform()(wg.tensor([[0.0, 5.0], [2.0, 0.0]]))
    tensor([[1., 2.],
            [2., 5.]])
    """

    domain: Any = constraints.independent(constraints.real, 2)
    codomain: Any = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        factor = wg.linalg.cholesky(y)
        return LowerCholeskyTransform().inv(factor)  # type: ignore[no-any-return]
