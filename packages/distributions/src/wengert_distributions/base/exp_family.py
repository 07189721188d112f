"""The base class of exponential families."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.base.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution with the density h(x) exp(<natural parameters, t(x)> - F(natural parameters)): the base class.

    Where a subclass does not give a formula for its entropy, it is computed by differentiating the log normalizer F
    (a Bregman divergence), which needs ``_natural_params``, ``_log_normalizer`` and ``_mean_carrier_measure``.

    >>> import wengert as wg
    >>> isinstance(wg.distributions.Poisson(2.0), wg.distributions.ExponentialFamily)
    True
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """The natural parameters."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        """Return F."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The expected value of log h(x)."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """Return the entropy: F less the product of the natural parameters and its gradient, less E log h."""
        offset = -self._mean_carrier_measure
        params = [param.detach().requires_grad_() for param in self._natural_params]
        log_normalizer = self._log_normalizer(*params)
        gradients = wg.autograd.grad(log_normalizer.sum(), params, create_graph=True)
        result: Tensor = offset + log_normalizer
        for param, gradient in zip(params, gradients, strict=True):
            result = result - (param * gradient).reshape((*self._batch_shape, -1)).sum(-1)
        return result
