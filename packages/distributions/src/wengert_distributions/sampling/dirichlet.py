"""Samples of the Dirichlet distribution that are differentiable by its concentrations."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.sampling.gamma import log_gamma_samples
from wengert_distributions.sampling.implicit import beta_slopes
from wengert_distributions.sampling.reparametrization import Reparametrization, Slopes


class StandardDirichlet(Reparametrization):
    """Samples of the Dirichlet distribution.

    Each component has a beta distribution, see Note [Implicit reparametrization]; the others keep their proportions
    when it moves.
    """

    @staticmethod
    def forward(concentration: Tensor) -> Tensor:
        """Draw samples: gamma variables divided by their sum."""
        sample = log_gamma_samples(concentration).softmax(-1).to(concentration.dtype)
        info = wg.finfo(sample.dtype)
        return sample.clamp(min=info.tiny, max=1 - info.eps / 2)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Return the gradient of the concentrations."""
        concentration, sample = ctx.saved_tensors
        weighted: Tensor = (sample * grad).sum(-1, keepdim=True)
        return component_slopes(concentration, sample) * (grad - weighted)

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor) -> Tensor:
        """Return the tangent of the samples."""
        concentration, sample = ctx.saved_tensors
        moved = tangent * component_slopes(concentration, sample)
        weighted: Tensor = sample * moved.sum(-1, keepdim=True)
        return moved - weighted

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int], concentration: Tensor) -> tuple[Tensor, int]:
        """Return the samples for a batch of vmap."""
        return StandardDirichlet.apply_to_batch(info, concentration, in_dims[0])


def component_slopes(concentration: Tensor, sample: Tensor) -> Tensor:
    """Return how each component moves with its concentration, divided by what the others have."""
    others = concentration.sum(-1, keepdim=True) - concentration
    return Slopes.apply(beta_slopes, concentration, others, sample)  # type: ignore[no-any-return]


def standard_dirichlet(concentration: Tensor) -> Tensor:
    """Return samples of the Dirichlet distribution, differentiable by the concentrations."""
    return StandardDirichlet.apply(concentration)  # type: ignore[no-any-return]
