"""GroupOptimizer, the base class of optimizers that look at whole parameters: one group after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.optimizer import Optimizer

__all__ = ["GroupOptimizer"]


class GroupOptimizer(Optimizer):
    """Base class of optimizers whose step updates each group by a method of theirs."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient.

        closure: a function that computes the loss anew, with its gradients, and returns it.
        Returns what the closure returned, or None. RuntimeError for gradients of a layout or dtype that the optimizer
        has no use for.
        """
        loss = None
        if closure is not None:
            with wengert.enable_grad():
                loss = closure()
        with wengert.no_grad():
            for group in self.param_groups:
                params = [param for param in group["params"] if param.grad is not None]
                self._update_group(group, params, [param.grad for param in params])
        return loss

    def _update_group(self, group: dict[str, Any], params: list[Tensor], grads: list[Any]) -> None:
        """Update a group's parameters that have a gradient."""
        raise NotImplementedError(f"{type(self).__name__} has no _update_group")

    def _check_dense(self, params: list[Tensor], grads: list[Any]) -> None:
        """RuntimeError for complex parameters and sparse gradients."""
        name = type(self).__name__
        for param, grad in zip(params, grads, strict=True):
            if param.is_complex():
                raise RuntimeError(f"{name} does not support complex parameters")
            if grad.is_sparse:
                raise RuntimeError(f"{name} does not support sparse gradients")
