"""Products and solutions with batches of matrices and their Cholesky factors."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Size, Tensor


def matvec(matrix: Tensor, vector: Tensor) -> Tensor:
    """Return the products of (batches of) matrices and vectors."""
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def half_log_det(factor: Tensor) -> Tensor:
    """Return half of the logarithms of the determinants of matrices with these Cholesky factors."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def sum_of_squares(matrix: Tensor) -> Tensor:
    """Return the trace of matrices times their transposes."""
    return matrix.pow(2).sum((-2, -1))


def mahalanobis(factor: Tensor, x: Tensor) -> Tensor:
    """Return the squared Mahalanobis lengths x^T (L L^T)^-1 x, for a Cholesky factor L.

    factor: (..., n, n).   x: (..., n); its batch dimensions broadcast with those of the factor. Vectors that share a
    factor are solved for together: they are the columns of one matrix, and the factor is not expanded.
    """
    batch = x.dim() - 1
    sizes = factor.shape[:-2]
    sizes = Size([1] * (batch - len(sizes))) + sizes
    # Each batch dimension of x is split into (repeated, of the factor); a factor's size of 1 is repeated.
    pairs = [(count // size, size) for count, size in zip(x.shape[:-1], sizes, strict=True)]
    split = x.reshape([size for pair in pairs for size in pair] + [x.shape[-1]])
    shared = range(1, 2 * batch, 2)
    repeated = range(0, 2 * batch, 2)
    columns = split.permute(*shared, 2 * batch, *repeated)
    flat = columns.reshape((*sizes, x.shape[-1], -1))
    lengths = wg.linalg.solve_triangular(factor, flat, upper=False).pow(2).sum(-2)
    back = [axis for i in range(batch) for axis in (batch + i, i)]
    return lengths.reshape([size for _, size in pairs] + [count for count, _ in pairs]).permute(back).reshape(
        x.shape[:-1]
    )


def factor_of_inverse(precision: Tensor) -> Tensor:
    """Return the Cholesky factors of the inverses of matrices.

    The factor of P with rows and columns in reverse order, reversed again, is upper triangular: P = U U^T. So
    P^-1 = U^-T U^-1, and U^-T is lower triangular.
    """
    upper = wg.linalg.cholesky(precision.flip((-2, -1))).flip((-2, -1))
    identity = wg.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return wg.linalg.solve_triangular(upper.mT, identity, upper=False)


def expand_last(tensor: Tensor, batch_shape: Any, ndim: int) -> Tensor:
    """Return a tensor with its batch dimensions, all but the last ones, expanded."""
    return tensor.expand((*batch_shape, *tensor.shape[tensor.dim() - ndim :]))
