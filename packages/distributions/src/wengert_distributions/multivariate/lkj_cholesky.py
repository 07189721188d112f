"""The LKJ distribution of correlation matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import broadcast_all
from wengert_distributions.continuous.beta import Beta

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The LKJ distribution of lower Cholesky factors of correlation matrices.

    The density of a correlation matrix is proportional to its determinant to the power of concentration - 1: for the
    concentration 1 all matrices are equally likely, above it those near the identity.

    Source: Lewandowski, Kurowicka, Joe, "Generating random correlation matrices based on vines and extended onion
    method" (2009).

    dim: the size of the matrices, from 2 on.   concentration: the concentration, positive.   validate_args: whether to
    check arguments.

    >>> import wengert as wg
    >>> wg.distributions.LKJCholesky(2, 1.0).log_prob(wg.eye(2))
    tensor(-0.6931)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"concentration": constraints.positive}
    support: ClassVar[constraints.Constraint] = constraints.corr_cholesky
    concentration: Tensor

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The squared length of row i without its diagonal element has the distribution Beta(i / 2, ...), section 3.2 of
        # the source. PyTorch draws it from Beta(i - 1 / 2, ...), which is another one from the third row on.
        row = wg.arange(dim, dtype=self.concentration.dtype, device=self.concentration.device).clamp(min=1)
        rest = (self.concentration + 0.5 * (dim - 1)).unsqueeze(-1) - 0.5 * row
        self._beta = Beta(0.5 * row, rest)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(LKJCholesky, _instance), Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return self._finish_expand(new, batch_shape, self._event_shape)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples, by the onion method: rows of random directions and random lengths."""
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        shape = self._extended_shape(sample_shape)
        directions = wg.randn(shape, dtype=squares.dtype, device=squares.device).tril(-1)
        rows = squares.sqrt() * directions / directions.norm(dim=-1, keepdim=True)
        rows[..., 0, :] = 0.0
        rest = (1 - (rows**2).sum(-1)).clamp(min=wg.finfo(rows.dtype).tiny)
        return rows + rest.sqrt().diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a Cholesky factor."""
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = wg.arange(2, self.dim + 1, device=self.concentration.device)
        power = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        return (power * diagonal.log()).sum(-1) - self._log_normalizer()

    def _log_normalizer(self) -> Tensor:
        """Return the logarithm of the integral of the density, from page 1999 of the source."""
        below = self.dim - 1
        shape = self.concentration + 0.5 * below
        return 0.5 * below * math.log(math.pi) + (shape - 0.5).mvlgamma(below) - shape.lgamma() * below
