"""Transforms of single numbers."""

from __future__ import annotations

import math
from typing import Any

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import softplus

from wengert_distributions import constraints
from wengert_distributions.base.utils import broadcast_all, is_number, lazy_property
from wengert_distributions.transforms.base import Parameterless, Transform

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
]


class Increasing(Parameterless):
    """The base class of bijective increasing functions of a real number."""

    domain: Any = constraints.real
    codomain: Any = constraints.positive
    bijective = True
    sign = 1


class ExpTransform(Increasing):
    """The exponential function, y = exp(x).

    >>> import wengert as wg
    >>> wg.distributions.ExpTransform()(wg.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x."""
        return x


def inner_sigmoid(x: Tensor) -> Tensor:
    """Return the sigmoid, between the smallest number above 0 and the largest one below 1."""
    info = wg.finfo(x.dtype)
    return x.sigmoid().clamp(min=info.tiny, max=1 - info.eps)


class SigmoidTransform(Increasing):
    """The logistic function, y = 1 / (1 + exp(-x)), kept away from 0 and 1 so that the inverse is finite.

    >>> import wengert as wg
    >>> wg.distributions.SigmoidTransform()(wg.tensor([0.0, 1.0]))
    tensor([0.5000, 0.7311])
    """

    codomain: Any = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return inner_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        info = wg.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(y (1 - y))."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Increasing):
    """The function y = log(1 + exp(x)), which is x itself above 20.

    >>> import wengert as wg
    >>> wg.distributions.SoftplusTransform()(wg.tensor([0.0, 1.0]))
    tensor([0.6931, 1.3133])
    """

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the sigmoid."""
        return -softplus(-x)


class TanhTransform(Increasing):
    """The hyperbolic tangent. Its inverse is infinite at -1 and 1, which a cache (``cache_size=1``) avoids.

    >>> import wengert as wg
    >>> wg.distributions.TanhTransform()(wg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    codomain: Any = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(1 - tanh(x)**2), in a form that does not cancel."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Parameterless):
    """The absolute value, y = |x|; its inverse is y.

    >>> import wengert as wg
    >>> wg.distributions.AbsTransform()(wg.tensor([-1.0, 2.0]))
    tensor([1., 2.])
    """

    domain: Any = constraints.real
    codomain: Any = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """The power of positive numbers, y = x ** exponent.

    exponent: a tensor or a number.

    >>> import wengert as wg
    >>> wg.distributions.PowerTransform(wg.tensor(2.0))(wg.tensor([1.0, 3.0]))
    tensor([1., 9.])
    """

    domain: Any = constraints.positive
    codomain: Any = constraints.positive
    bijective = True
    exponent: Tensor

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _with_cache(self, cache_size: int) -> PowerTransform:
        return PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self) -> Tensor:
        """1 where the power increases, -1 where it decreases."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return wg.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """The function y = loc + scale * x.

    loc, scale: tensors or numbers.   event_dim: how many of the last dimensions make one event.

    >>> import wengert as wg
    >>> wg.distributions.AffineTransform(1.0, 2.0)(wg.tensor([0.0, 3.0]))
    tensor([1., 7.])
    """

    bijective = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc: Any = loc
        self.scale: Any = scale
        self._event_dim = event_dim

    def _with_cache(self, cache_size: int) -> AffineTransform:
        return AffineTransform(self.loc, self.scale, self._event_dim, cache_size=cache_size)

    @property
    def event_dim(self) -> int:
        """The number of last dimensions that make one event."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The constraint of inputs."""
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    @property
    def sign(self) -> Any:
        """1 where the function increases, -1 where it decreases."""
        return (self.scale > 0) - (self.scale < 0) if is_number(self.scale) else self.scale.sign()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return same_parameter(self.loc, other.loc) and same_parameter(self.scale, other.scale)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |scale|, summed over an event."""
        shape = x.shape
        result = wg.full_like(x, math.log(abs(self.scale))) if is_number(self.scale) else self.scale.abs().log()
        if self._event_dim:
            result = result.reshape((*result.shape[: -self._event_dim], -1)).sum(-1)
            shape = shape[: -self._event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return wg.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


def same_parameter(one: Any, other: Any) -> bool:
    """Return whether two parameters, tensors or numbers, are equal."""
    return bool(one == other) if is_number(one, other) else bool((one == other).all())
