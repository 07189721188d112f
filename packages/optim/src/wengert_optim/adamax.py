"""Adamax: Adam with the largest gradient, which decays, in the place of the root of the second average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_adam_options, check_steps, scalar_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, count_step, decay_weights, is_on, is_tensor, update_lists

__all__ = ["Adamax", "adamax"]


def advance(options: Any, step: Tensor) -> Any:
    """Count a step; return the negative of the step size."""
    return scalar_of(options["lr"]) / (options["betas"][0] ** count_step(options, step) - 1)


def update(options: Any, size: Any, param: Tensor, grad: Tensor, mean: Tensor, norm: Tensor) -> None:
    """Update a parameter, the running average of its gradient and the decaying maximum of that."""
    beta1, beta2 = options["betas"]
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    mean.lerp_(grad, 1 - beta1)
    norm.mul_(beta2)
    if options["differentiable"]:
        norm.copy_(wengert.maximum(norm.clone(), grad.abs().add(options["eps"])))
        mean, norm = mean.clone(), norm.clone()
    else:
        wengert.maximum(norm, grad.abs().add_(options["eps"]), out=norm)
    if is_tensor(options, size):
        param.addcdiv_(mean, norm / size)
    else:
        param.addcdiv_(mean, norm, value=size)


class Adamax(Elementwise):
    """Adamax: ``param -= lr * m / u`` with the decaying maximum ``u = max(beta2 * u, abs(grad) + eps)``.

    m is the running average of the gradient, corrected for its start at zero: divided by ``1 - beta1 ** step``.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    betas: the decay rates.   eps: a term that keeps the divisor from zero.
    weight_decay: a factor of the parameter that is added to its gradient.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.   capturable: keep the number
    of steps on the parameter's device.   foreach: accepted; small parameters are updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.Adamax([x], lr=0.1)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.7155, -1.7076], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, advance, update)
    _state_names = ("exp_avg", "exp_inf")
    _sparse_error = "Adamax does not support sparse gradients"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_adam_options(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)


def adamax(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_infs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
) -> None:
    """Update parameters as a step of Adamax does, with their state in lists beside theirs."""
    check_steps(state_steps)
    update_lists(Adamax._rule, {**locals(), "betas": (beta1, beta2)}, exp_avgs, exp_infs)
