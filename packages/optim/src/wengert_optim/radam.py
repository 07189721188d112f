"""RAdam: Adam that waits with the second average until the variance of that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_adam_options, check_steps, scalar_of, value_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, count_step, decay_weights, is_on, is_tensor, update_averages, update_lists

__all__ = ["RAdam", "radam"]


def advance(options: Any, step: Tensor) -> tuple[Any, Any]:
    """Count a step; return the step size, and the factor of adaptive steps, None as long as there are none."""
    count = count_step(options, step)
    beta1, beta2 = options["betas"]
    power = beta2**count
    lr = scalar_of(options["lr"])
    size = (lr if options["differentiable"] else value_of(lr)) / (1 - beta1**count)
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * count * power / (1 - power)
    adaptive = length > 5.0
    if not isinstance(adaptive, Tensor) and not adaptive:
        return size, None
    square = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length) * (1 - power)
    if isinstance(adaptive, Tensor):
        return size, wengert.where(adaptive, square**0.5, 0.0)
    return size, square**0.5


def update(options: Any, numbers: tuple[Any, Any], param: Tensor, grad: Tensor, mean: Tensor, square: Tensor) -> None:
    """Update a parameter and its averages."""
    size, factor = numbers
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    update_averages(options, grad, mean, square)
    if is_tensor(options, factor):
        scale = wengert.where(factor > 0, factor / square.sqrt().add(options["eps"]), 1.0)
        param.sub_(mean * size * scale)
    elif factor is None:
        param.add_(mean.clone() * -size)
    elif options["differentiable"]:
        param.add_(mean.clone() * (-size * factor) / square.sqrt().add(options["eps"]))
    else:
        param.addcdiv_(mean, square.sqrt().add_(options["eps"]), value=-size * factor)


class RAdam(Elementwise):
    """RAdam: Adam whose first steps, while the variance of the adaptive step is large, follow the average alone.

    The length ``2 / (1 - beta2) - 1 - 2 * step * beta2 ** step / (1 - beta2 ** step)`` of the second average decides:
    above 5 the step is that of Adam times the rectification, a root of ratios of lengths.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    betas: decay rates of the averages of the gradient and of its square.   eps: keeps the divisor from zero.
    weight_decay: a factor of the parameter that is added to its gradient, or that shrinks the parameter by
    ``lr * weight_decay`` if ``decoupled_weight_decay``.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.   capturable: keep the number
    of steps on the parameter's device.   foreach: accepted; small parameters are updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.RAdam([x], lr=0.1)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.4623, -0.9246], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, advance, update)
    _state_names = ("exp_avg", "exp_avg_sq")
    _sparse_error = "RAdam does not support sparse gradients"
    _old_defaults: ClassVar[dict[str, Any]] = {**Elementwise._old_defaults, "decoupled_weight_decay": False}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam_options(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)


def radam(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
) -> None:
    """Update parameters as a step of RAdam does, with their state in lists beside theirs."""
    check_steps(state_steps)
    update_lists(RAdam._rule, {**locals(), "betas": (beta1, beta2)}, exp_avgs, exp_avg_sqs)
