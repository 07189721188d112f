"""Gradients of a loop by the plain loop, where no recording runs, or where they are to be differentiated themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor
from wengert_engine import Function, enable_grad, grad, is_grad_enabled

from wengert_replay.history.states import WithoutHooks
from wengert_replay.loops.iterations import Flat

if TYPE_CHECKING:
    from wengert_replay.loops.gradients import Derivation


class Gate:
    """A gate between arguments and what a loop gets in their place. Closed, it lets no gradient through.

    A tensor from outside may be what an argument was computed from. Gradients for it that went through the argument
    would count twice, as the argument gets its own; derivatives of these gradients have to go there.
    """

    def __init__(self) -> None:
        self.closed = True


class Passage(Function):
    """The node of an argument behind a gate."""

    _inside_transforms = True
    _skips_none = True

    @staticmethod
    def forward(ctx: Any, gate: Gate, argument: Tensor) -> Tensor:
        ctx.gate = gate
        return argument.view_as(argument)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None if ctx.gate.closed else grads[0]


def differentiate(derivation: Derivation, arguments: Flat, closures: Flat, cotangents: Flat) -> Flat:
    """Return gradients by the plain loop."""
    create_graph, gate = is_grad_enabled(), Gate()
    n = derivation.n_carry
    with enable_grad():
        inputs = [(Passage.apply(gate, one) if create_graph else one.detach().requires_grad_()) if one.requires_grad
                  else one for one in arguments]  # fmt: skip
        results = derivation.call(derivation.function, inputs[:n], inputs[n:])
        derivation.check(results)
        derivation.surroundings.go_on()
        derivation.surroundings.follow(inputs)
        derivation.results.write_to(results)
        pairs = [(one, cotangent) for one, cotangent in zip(results, cotangents, strict=True)
                 if cotangent is not None and one.requires_grad]  # fmt: skip
        wanted = [*(inputs[i] for i in derivation.ends), *closures]
        with WithoutHooks(closures):
            found = list(grad([one for one, _ in pairs], wanted, [cotangent for _, cotangent in pairs],
                              allow_unused=True, create_graph=create_graph))  # fmt: skip
        gate.closed = False
        return found
