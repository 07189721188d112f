"""Student's t distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.base.utils import _standard_normal
from wengert_distributions.continuous.chi2 import Chi2

__all__ = ["StudentT"]


class StudentT(Elementwise, parameters=("df", "loc", "scale")):
    """Student's t distribution, of a normal number divided by the root of a chi-squared one over its freedom.

    df: the degrees of freedom.   loc, scale: the location and the scale.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.StudentT(wg.tensor([2.0])).log_prob(wg.tensor([0.0, 1.0]))
    tensor([-1.0397, -1.6479])
    """

    df: Tensor
    loc: Tensor
    scale: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        batch_shape = self._set_parameters(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new = super().expand(batch_shape, _instance)
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        """The location; NaN for df <= 1, where there is none."""
        return self.loc.masked_fill(self.df <= 1, wg.nan)

    @property
    def mode(self) -> Tensor:
        """The location."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale**2 df / (df - 2); infinity for df <= 2, and NaN for df <= 1."""
        finite = self.df > 2
        df = wg.where(finite, self.df, 3.0)
        variance = wg.where(finite, self.scale.pow(2) * df / (df - 2), wg.inf)
        return variance.masked_fill(self.df <= 1, wg.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by all parameters."""
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, self.df.dtype, self.df.device)
        return self.loc + self.scale * normal * (self._chi2.rsample(sample_shape) / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - self.scale.log() - self._log_beta()

    def _log_beta(self) -> Tensor:
        """Return log(sqrt(df) B(df / 2, 1 / 2))."""
        half = 0.5 * self.df
        return 0.5 * self.df.log() + math.lgamma(0.5) + half.lgamma() - (half + 0.5).lgamma()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        half = 0.5 * self.df
        return self.scale.log() + (half + 0.5) * ((half + 0.5).digamma() - half.digamma()) + self._log_beta()
