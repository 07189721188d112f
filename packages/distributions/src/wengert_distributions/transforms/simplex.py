"""Transforms of real vectors to vectors on the simplex."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import logsigmoid, pad

from wengert_distributions import constraints
from wengert_distributions.transforms.base import Parameterless
from wengert_distributions.transforms.composite import too_few_dimensions
from wengert_distributions.transforms.pointwise import inner_sigmoid

__all__ = ["SoftmaxTransform", "StickBreakingTransform"]


class SoftmaxTransform(Parameterless):
    """Exponentials divided by their sum. Not bijective: its inverse is the logarithm.

    >>> import wengert as wg
    >>> wg.distributions.SoftmaxTransform()(wg.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return x.softmax(-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        if len(shape) < 1:
            raise too_few_dimensions(shape)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Parameterless):
    """A bijection of n real numbers and n + 1 numbers on the simplex: sigmoids break parts off a stick of length 1.

    >>> import wengert as wg
    >>> wg.distributions.StickBreakingTransform()(wg.tensor([0.0, 0.0]))
    tensor([0.3333, 0.3333, 0.3333])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        z = inner_sigmoid(x - log_remaining(x))
        return pad(z, [0, 1], value=1) * pad((1 - z).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        parts = y[..., :-1]
        # Rounding may make what is left of the stick 0 or less.
        rest = (1 - parts.cumsum(-1)).clamp(min=wg.finfo(y.dtype).tiny)
        return parts.log() - rest.log() + log_remaining(parts)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of log(1 - z) and log y, where 1 - sigmoid(x) = exp(-x) sigmoid(x)."""
        x = x - log_remaining(x)
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return longer(shape, 1)

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the input for an output of a shape."""
        return longer(shape, -1)


def longer(shape: Any, by: int) -> Any:
    """Return a shape with another last size."""
    if len(shape) < 1:
        raise too_few_dimensions(shape)
    return shape[:-1] + (shape[-1] + by,)  # noqa: RUF005 - a Size stays one


def log_remaining(x: Tensor) -> Tensor:
    """Return log n, ..., log 1: zeros are transformed to parts that are all alike."""
    size = x.shape[-1]
    return wg.arange(size, 0, -1, dtype=x.dtype, device=x.device).log()
