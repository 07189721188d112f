"""What a batched tensor says and refuses as a tensor: its text, its gradient, its hooks; core refuses its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.api.repr_iter import text
from wengert_core.tensors import vmap_hooks
from wengert_core.tensors.tensor import set_operators

from wengert_engine.vmap.batched_tensor import (
    each_own,
    is_batched,
    is_differentiated,
    is_open,
    level_of,
    physical_of,
    wrap_batched,
)
from wengert_engine.vmap.level_stack import depth, outside, randomness_of

__all__ = ["detach_batched", "is_differentiated", "repr_batched", "unsupported_error", "wrap_hook"]

REFUSED = {
    "requires_grad_": "You are attempting to call Tensor.requires_grad_() (or perhaps using "
                      "torch.autograd.functional.* APIs) inside of a function being transformed by a functorch "
                      "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, "
                      "jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being transformed "
                      "instead.",
    "retain_grad": "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a "
                   "functorch transform. This is unsupported, please attempt to use the functorch transforms (e.g. "
                   "grad, vjp, jacrev, jacfwd, hessian) or call retain_grad() outside of a function being transformed "
                   "instead.",
    "register_post_accumulate_grad_hook": "vmap: a batched tensor has no grad that something is accumulated in; "
                                          "register_hook() is possible",
    "data": "accessing `data` under vmap transform is not allowed: use detach()",
    "data =": "mutating directly with `.data` under vmap transform is not allowed. Write with copy_()",
    "grad": "vmap: the gradient of a batched tensor cannot be set",
}


def unsupported_error(name: str) -> RuntimeError:
    """The error for what a batched tensor does not do."""
    return RuntimeError(REFUSED[name])


def detach_batched(t: Any) -> Any:
    """What detach() of a batched tensor gives."""
    with outside(level_of(t) - 1):
        physical = physical_of(t).detach()
    return wrap_batched(physical, level_of(t))


def wrap_hook(t: Any, hook: Callable[..., Any]) -> Callable[..., Any]:
    """A hook of a batched tensor as one of the tensor below all levels, whose gradients have the whole batch.

    It is called while the vmap runs, so by the transforms inside of it.
    """
    from wengert_engine.vmap.batched_grad import for_graph, from_graph, peel_levels

    graph, here = peel_levels(t)[1], depth()

    def whole(gradient: Any) -> Any:
        if not is_open(t):
            return None  # its vmap is over: the hook belongs to the transforms in there
        with outside(max(here, depth())):
            found = hook(from_graph(gradient, graph))
            return found if found is None else for_graph(found, graph)

    return whole


def repr_batched(tensor: Any) -> str:
    """``repr``: of a batched tensor, as torch prints it, with the tensor that has the batch."""
    if not is_batched(tensor):
        return text(tensor)
    inner = "\n".join("    " + line for line in repr_batched(physical_of(tensor)).split("\n"))
    return f"BatchedTensor(lvl={level_of(tensor)}, bdim=0, value=\n{inner}\n)"


def randomness() -> str | None:
    """What the innermost vmap was told of random numbers."""
    return randomness_of(depth()) if depth() else None


set_operators({"repr": repr_batched})
vmap_hooks.each_own, vmap_hooks.randomness = each_own, randomness
