"""Adagrad: each element has a learning rate that falls with the sum of its squared gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import (
    check_fused_switch,
    check_lr,
    check_steps,
    require,
    scalar_of,
    step_tensor,
    value_of,
)
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, decay_weights, is_on, unscale, update_lists

__all__ = ["Adagrad", "adagrad"]


def advance(options: Any, step: Tensor) -> Any:
    """Count a step; return the learning rate."""
    step.add_(1)
    return scalar_of(options["lr"]) / (1 + (value_of(step) - 1) * options["lr_decay"])


def update(options: Any, lr: Any, param: Tensor, grad: Tensor, total: Tensor) -> None:
    """Update a parameter and the sum of its squared gradients."""
    if grad.is_sparse:
        update_sparse(options, lr, param, grad, total)
        return
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    total.addcmul_(grad, grad, value=1)
    root, eps = total.sqrt(), options["eps"]
    param.addcdiv_(grad, root.add(eps) if options["differentiable"] else root.add_(eps), value=-lr)


def update_sparse(options: Any, lr: Any, param: Tensor, grad: Tensor, total: Tensor) -> None:
    """Update the elements that a sparse gradient names; RuntimeError where a weight decay names all of them."""
    if is_on(options, "weight_decay"):
        raise RuntimeError("weight_decay option is not compatible with sparse gradients")
    grad = grad.coalesce()  # an element that is named twice counts with its sum
    indices, values, size = grad.indices(), grad.values(), grad.size()
    total.add_(wengert.sparse_coo_tensor(indices, values.pow(2), size))
    root = total.sparse_mask(grad).coalesce().values().sqrt().add_(options["eps"])
    param.add_(wengert.sparse_coo_tensor(indices, values / root, size), alpha=-lr)


class Adagrad(Elementwise):
    """Adagrad: ``param -= rate * grad / (sqrt(s) + eps)`` with the sum s of all squared gradients so far.

    The rate of a step is ``lr / (1 + (step - 1) * lr_decay)``.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    weight_decay: a factor of the parameter that is added to its gradient.   initial_accumulator_value: s before the
    first step.   eps: a term that keeps the divisor from zero.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.
    foreach, fused: accepted; small parameters are updated together in any case.
    Gradients may be sparse.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.Adagrad([x], lr=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.2764, -1.2000], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, advance, update)
    _state_names = ("sum",)
    _old_defaults: ClassVar[dict[str, Any]] = {
        "foreach": None, "maximize": False, "differentiable": False, "fused": None,
    }  # fmt: skip

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        require(lr_decay >= 0.0, f"Invalid lr_decay value: {lr_decay}")
        require(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        require(initial_accumulator_value >= 0.0,
                f"Invalid initial_accumulator_value value: {initial_accumulator_value}")  # fmt: skip
        require(eps >= 0.0, f"Invalid epsilon value: {eps}")
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused_switch(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True
        for group in self.param_groups:
            for param in group["params"]:
                self._state_of(group, param)

    def share_memory(self) -> None:
        """Move the sums of squares into memory that processes share."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    def _new_state(self, group: dict[str, Any], param: Tensor) -> dict[str, Any]:
        start = self.defaults["initial_accumulator_value"]
        first = complex(start, start) if param.is_complex() else start
        return {"step": step_tensor(group, param), "sum": wengert.full_like(param, first)}


def adagrad(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    state_sums: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Update parameters as a step of Adagrad does, with their state in lists beside theirs."""
    check_steps(state_steps)
    if not unscale(grads, fused, grad_scale, found_inf):
        return
    update_lists(Adagrad._rule, locals(), state_sums)
