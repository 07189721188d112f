"""Samples of the gamma distribution that are differentiable by its shape."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.sampling.implicit import gamma_slopes
from wengert_distributions.sampling.reparametrization import Reparametrization, Slopes


def attempt(shape: Tensor) -> tuple[Tensor, Tensor]:
    """Return samples of the gamma distributions with shapes from 1 on, and whether each one is accepted.

    Source: Marsaglia, Tsang, "A simple method for generating gamma variables" (2000).
    """
    d = shape - 1 / 3
    x = wg.randn_like(shape)
    v = (1 + x / (9 * d).sqrt()) ** 3
    log_u = (1 - wg.rand_like(shape)).log()
    return d * v, (v > 0) & (log_u < 0.5 * x * x + d * (1 - v + v.log()))


def log_gamma_samples(concentration: Tensor) -> Tensor:
    """Return logarithms of samples of the gamma distribution; float64, of the shape of ``concentration``.

    A sample of a shape below 1 is one of that shape plus 1 times u ** (1 / shape), which may be too small for a float:
    hence the logarithms.
    """
    shape = concentration.detach().double().reshape(-1)
    small = shape < 1
    samples, accepted = attempt(wg.where(small, shape + 1, shape))
    while not accepted.all():
        missing = (~accepted).nonzero().squeeze(-1)
        again = shape[missing]
        values, good = attempt(wg.where(again < 1, again + 1, again))
        samples[missing], accepted[missing] = values, good
    logs = samples.log()
    if small.any():
        logs = wg.where(small, logs + (1 - wg.rand_like(shape)).log() / shape, logs)
    return logs.view(concentration.shape)


class StandardGamma(Reparametrization):
    """Samples of the gamma distribution with rate 1, above 0. See Note [Implicit reparametrization]."""

    @staticmethod
    def forward(concentration: Tensor) -> Tensor:
        """Draw samples."""
        sample = log_gamma_samples(concentration).exp().to(concentration.dtype)
        return sample.clamp(min=wg.finfo(sample.dtype).tiny)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Return the gradient of the shapes; of tangents of these, those of the samples."""
        slopes: Tensor = Slopes.apply(gamma_slopes, *ctx.saved_tensors)
        return grad * slopes

    jvp = backward

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int], concentration: Tensor) -> tuple[Tensor, int]:
        """Return the samples for a batch of vmap."""
        return StandardGamma.apply_to_batch(info, concentration, in_dims[0])


def standard_gamma(concentration: Tensor) -> Tensor:
    """Return samples of the gamma distribution with rate 1, differentiable by the shape."""
    return StandardGamma.apply(concentration)  # type: ignore[no-any-return]
