"""Adadelta: steps as large as a running average of past steps, relative to one of past gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert import Tensor

from wengert_optim.base.hyperparameters import check_lr, check_steps, require, scalar_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, decay_weights, increment_step, is_on, update_lists

__all__ = ["Adadelta", "adadelta"]


def update(options: Any, numbers: None, param: Tensor, grad: Tensor, square: Tensor, deltas: Tensor) -> None:
    """Update a parameter and the averages of its squared gradients and squared steps."""
    rho, eps = options["rho"], options["eps"]
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
    root, delta = square.add(eps).sqrt_(), deltas.add(eps).sqrt_()
    if options["differentiable"]:
        delta = delta / root * grad
    else:
        delta.div_(root).mul_(grad)
    deltas.mul_(rho).addcmul_(delta, delta, value=1 - rho)
    param.add_(delta, alpha=-scalar_of(options["lr"]))


class Adadelta(Elementwise):
    """Adadelta: ``param -= lr * delta`` with ``delta = grad * sqrt(d + eps) / sqrt(v + eps)``.

    v is the running average of ``grad ** 2``, d that of ``delta ** 2`` of the steps before.

    params: parameters, pairs of name and parameter, or groups.   lr: a factor of the step, a number or a tensor of
    one.   rho: the decay rate of the averages.   eps: a term without which there would be no first step.
    weight_decay: a factor of the parameter that is added to its gradient.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.   capturable: keep the number
    of steps on the parameter's device.   foreach: accepted; small parameters are updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.Adadelta([x], eps=1e-2)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.4291, -1.3889], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, increment_step, update)
    _state_names = ("square_avg", "acc_delta")
    _sparse_error = "Adadelta does not support sparse gradients"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        require(0.0 <= rho <= 1.0, f"Invalid rho value: {rho}")
        require(eps >= 0.0, f"Invalid epsilon value: {eps}")
        require(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)


def adadelta(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    square_avgs: Sequence[Tensor],
    acc_deltas: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Update parameters as a step of Adadelta does, with their state in lists beside theirs."""
    check_steps(state_steps)
    update_lists(Adadelta._rule, locals(), square_avgs, acc_deltas)
