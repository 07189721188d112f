"""The identity that backward hooks of modules are registered on."""

from __future__ import annotations

from typing import Any

import wengert


class BackwardHookFunction(wengert.autograd.Function):
    """The identity of tensors, whose node a module's backward hooks are registered on; also inside of transforms.

    The first argument says which of the tensors require grad: those under vmap do not say so themselves.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(needs_grad: tuple[bool, ...], *tensors: Any) -> Any:
        return tensors

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*[one for one, needs_grad in zip(output, inputs[0], strict=True) if not needs_grad])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, *grads

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        return tuple(tangent if tangent is None else tangent.view_as(tangent) for tangent in tangents)
