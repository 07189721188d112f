"""The von Mises distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.elementwise import Elementwise
from wengert_distributions.base.utils import lazy_property

__all__ = ["VonMises"]


class VonMises(Elementwise, parameters=("loc", "concentration")):
    """The von Mises distribution of angles, with a density proportional to exp(concentration cos(x - loc)).

    loc: the mean direction, in radians.   concentration: the inverse of the spread.   validate_args: whether to check
    arguments.

    >>> import wengert as wg
    >>> wg.distributions.VonMises(wg.tensor([0.0]), wg.tensor([4.0])).log_prob(wg.tensor([0.0, 1.0]))
    tensor([-0.2628, -2.1016])
    """

    loc: Tensor
    concentration: Tensor
    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support: ClassVar[constraints.Constraint] = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, 1 - I1(concentration) / I0(concentration)."""
        return 1 - wg.special.i1e(self.concentration) / wg.special.i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        # I0 is scaled by exp(-concentration), and so is the rest: large concentrations do not overflow.
        exponent = self.concentration * ((value - self.loc).cos() - 1)
        return exponent - math.log(2 * math.pi) - wg.special.i0e(self.concentration).log()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples between -pi and pi, without a gradient.

        Source: Best, Fisher, "Efficient simulation of the von Mises distribution" (1979), computed in float64.
        """
        shape = self._extended_shape(sample_shape)
        loc, kappa = (parameter.detach().double().expand(shape) for parameter in (self.loc, self.concentration))
        angles = wg.empty(shape, dtype=wg.float64, device=loc.device)
        missing = wg.ones(shape, dtype=wg.bool, device=loc.device)
        while missing.any():
            again = kappa[missing]
            u1, u2, u3 = wg.rand((3, *again.shape), dtype=wg.float64, device=loc.device).unbind()
            z, r = (math.pi * u1).cos(), envelope(again)
            cosine = (1 + r * z) / (r + z)
            c = again * (r - cosine)
            accepted = (c * (2 - c) > u2) | ((c / u2).log() + 1 - c >= 0)
            places = missing.clone()
            places[missing] = accepted
            angles[places] = ((u3 - 0.5).sign() * cosine.acos())[accepted]
            missing = missing & ~places
        return ((angles + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)


def envelope(kappa: Tensor) -> Tensor:
    """Return the parameter of the wrapped Cauchy distribution that samples are drawn from at first."""
    tau = 1 + (1 + 4 * kappa**2).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
    return wg.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))  # rho cancels for small kappa
