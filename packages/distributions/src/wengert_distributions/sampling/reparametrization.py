"""Samples, and their derivatives, as functions of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert import Tensor
from wengert.autograd import Function

from wengert_distributions.sampling.implicit import in_blocks


class Slopes(Function):
    """Derivatives of samples, which have no derivatives themselves."""

    generate_vmap_rule = True

    @staticmethod
    def forward(slopes: Callable[..., Tensor], *arguments: Tensor) -> Tensor:
        """Compute the derivatives."""
        return in_blocks(slopes, *arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Save nothing."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        """Raise RuntimeError."""
        raise RuntimeError("the second derivative of samples by the shape of their distribution is not implemented")

    jvp = backward


class Reparametrization(Function):
    """Samples of one parameter, with the parameter's shape: they and the parameter are saved."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        """Save the parameter and the samples, for both modes."""
        ctx.save_for_backward(*inputs, output)
        ctx.save_for_forward(*inputs, output)

    @classmethod
    def apply_to_batch(cls, info: Any, parameter: Tensor, dim: int) -> tuple[Tensor, int]:
        """Return the samples for a batch of vmap, whose dimension is the first one, as it allows by ``randomness``."""
        if info.randomness != "different":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Samples of batched parameters need "
                f"randomness='different', got randomness='{info.randomness}'"
            )
        return cls.apply(parameter.movedim(dim, 0)), 0
