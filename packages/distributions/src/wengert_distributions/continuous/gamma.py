"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.sampling.gamma import standard_gamma

__all__ = ["Gamma"]


class Gamma(Elementwise, ExponentialFamily, parameters=("concentration", "rate")):
    """The gamma distribution, with a density proportional to x**(concentration - 1) exp(-rate x) for x > 0.

    concentration: the shape.   rate: the inverse of the scale.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> gamma = wg.distributions.Gamma(2.0, 3.0)
    >>> gamma.mean, gamma.log_prob(wg.tensor(1.0))
    (tensor(0.6667), tensor(-0.8028))
    """

    concentration: Tensor
    rate: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set_parameters(concentration, rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """(concentration - 1) / rate, or 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """concentration / rate**2."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by both parameters."""
        shape = self._extended_shape(sample_shape)
        value: Tensor = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=wg.finfo(value.dtype).tiny)  # its gradient is that of the sample before
        return value

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        x = as_float(value, self.rate)
        if self._validate_args:
            self._validate_sample(x)
        log_normalizer = self.concentration.lgamma() - self.concentration.xlogy(self.rate)
        return (self.concentration - 1).xlogy(x) - self.rate * x - log_normalizer

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value; not differentiable by the concentration."""
        if self._validate_args:
            self._validate_sample(value)
        return wg.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1.0 - shape) * shape.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()


def as_float(value: Any, like: Tensor) -> Tensor:
    """Return a value, a number or a tensor, with the dtype and the device of a parameter."""
    return wg.as_tensor(value, dtype=like.dtype, device=like.device)
