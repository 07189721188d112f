"""NAdam: Adam with Nesterov's momentum, which looks one step ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Tensor

from wengert_optim.base.hyperparameters import check_adam_options, check_steps, require, scalar_of, value_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, count_step, decay_weights, is_on, update_averages, update_lists

__all__ = ["NAdam", "nadam"]


def advance(options: Any, step: Tensor, mu_product: Tensor) -> tuple[Any, Any, Any]:
    """Count a step; return the factors of the gradient and of its average, and what corrects the second average."""
    count = count_step(options, step)
    beta1, beta2 = options["betas"]
    decay, lr = options["momentum_decay"], scalar_of(options["lr"])
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (count * decay))
    mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((count + 1) * decay))
    mu_product.mul_(mu)
    product = mu_product.clone() if options["capturable"] or options["differentiable"] else value_of(mu_product)
    factor, mean_factor = divide(-lr * (1.0 - mu), 1.0 - product), divide(-lr * mu_next, 1.0 - product * mu_next)
    return factor, mean_factor, 1 - beta2**count


def divide(number: Any, other: Any) -> Any:
    """Return a quotient, by a tensor's reciprocal where the divisor is one: PyTorch divides numbers so."""
    return number * other.reciprocal() if isinstance(other, Tensor) else number / other


def update(
    options: Any, numbers: tuple[Any, Any, Any], param: Tensor, grad: Tensor, mean: Tensor, square: Tensor
) -> None:
    """Update a parameter and its averages."""
    factor, mean_factor, correction = numbers
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    update_averages(options, grad, mean, square)
    scale = square.div(correction).sqrt()
    if options["differentiable"] or options["capturable"]:
        scale = scale.add(options["eps"])
        param.addcdiv_(grad * factor, scale)
        param.addcdiv_(mean.clone() * mean_factor, scale)
    else:
        scale.add_(options["eps"])
        param.addcdiv_(grad, scale, value=factor)
        param.addcdiv_(mean, scale, value=mean_factor)


class NAdam(Elementwise):
    """NAdam: Adam whose step has the momentum that the next step is going to have.

    The momentum of a step is ``mu = beta1 * (1 - 0.5 * 0.96 ** (step * momentum_decay))``.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    betas: decay rates of the averages of the gradient and of its square.   eps: keeps the divisor from zero.
    weight_decay: a factor of the parameter that is added to its gradient, or that shrinks the parameter by
    ``lr * weight_decay`` if ``decoupled_weight_decay``.   momentum_decay: how fast the momentum grows to beta1.
    maximize: go up instead of down.   differentiable: record the graph of the step, whose parameters must then be no
    leaves.   capturable: keep the number of steps on the parameter's device.   foreach: accepted; small parameters are
    updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.NAdam([x], lr=0.1)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.7527, -1.7475], requires_grad=True)
    """

    _rule = Rule({"step": 0.0, "mu_product": 1.0}, advance, update)
    _state_names = ("exp_avg", "exp_avg_sq")
    _sparse_error = "NAdam does not support sparse gradients"
    _old_defaults: ClassVar[dict[str, Any]] = {**Elementwise._old_defaults, "decoupled_weight_decay": False}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam_options(lr, betas, eps, weight_decay)
        require(momentum_decay >= 0.0, f"Invalid momentum_decay value: {momentum_decay}")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)


def nadam(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    mu_products: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """Update parameters as a step of NAdam does, with their state in lists beside theirs."""
    check_steps(state_steps)
    check_steps(mu_products, "mu_products")
    update_lists(NAdam._rule, {**locals(), "betas": (beta1, beta2)}, exp_avgs, exp_avg_sqs)
