"""Fisher's F distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.continuous.gamma import Gamma

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Elementwise, parameters=("df1", "df2")):
    """Fisher's F distribution, of the ratio of two chi-squared numbers, each divided by its degrees of freedom.

    df1, df2: the degrees of freedom.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.FisherSnedecor(2.0, 4.0).mean
    tensor(2.)
    """

    df1: Tensor
    df2: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "df1": constraints.positive,
        "df2": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        batch_shape = self._set_parameters(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new = super().expand(batch_shape, _instance)
        new._gamma1 = self._gamma1.expand(batch_shape)
        new._gamma2 = self._gamma2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        """df2 / (df2 - 2); NaN for df2 <= 2, where there is none."""
        df2 = self.df2.masked_fill(self.df2 <= 2, wg.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        """The value that is most likely; NaN for df1 <= 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, wg.nan)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean; NaN for df2 <= 4, where there is none."""
        df2 = self.df2.masked_fill(self.df2 <= 4, wg.nan)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by both parameters."""
        shape = self._extended_shape(sample_shape)
        numerator = self._gamma1.rsample(sample_shape).view(shape)
        denominator = self._gamma2.rsample(sample_shape).view(shape)
        tiny = wg.finfo(denominator.dtype).tiny
        return (numerator / denominator.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        log_beta = half1.lgamma() + half2.lgamma() - (half1 + half2).lgamma()
        power = half1 * ratio.log() + (half1 - 1) * value.log()
        return power - (half1 + half2) * (ratio * value).log1p() - log_beta
