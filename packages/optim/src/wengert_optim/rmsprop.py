"""RMSprop: the gradient divided by the root of a running average of its square."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Tensor

from wengert_optim.base.hyperparameters import check_lr, check_steps, require, scalar_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, decay_weights, increment_step, is_on, update_lists

__all__ = ["RMSprop", "rmsprop"]


def update(options: Any, numbers: None, param: Tensor, grad: Tensor, square: Tensor, *others: Tensor) -> None:
    """Update a parameter and its averages; ``others`` are the momentum and the average gradient, if there are any."""
    alpha, momentum, lr = options["alpha"], options["momentum"], scalar_of(options["lr"])
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    if options["centered"]:
        mean = others[-1]
        mean.lerp_(grad, 1 - alpha)
        mean = mean.clone() if options["differentiable"] else mean
        root = square.addcmul(mean, mean, value=-1).sqrt_()
    else:
        root = square.sqrt()
    root = root.add(options["eps"]) if options["differentiable"] else root.add_(options["eps"])
    if len(others) > bool(options["centered"]):
        buffer = others[0]
        buffer.mul_(momentum).addcdiv_(grad, root)
        param.add_(buffer, alpha=-lr)
    else:
        param.addcdiv_(grad, root, value=-lr)


class RMSprop(Elementwise):
    """RMSprop: ``param -= lr * grad / (sqrt(v) + eps)`` with the running average v of the squared gradient.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    alpha: the decay rate of the average.   eps: a term that keeps the divisor from zero.
    weight_decay: a factor of the parameter that is added to its gradient.   momentum: step by ``b = momentum * b`` plus
    the quotient instead.   centered: take the square of the average gradient from v, which makes it a variance.
    capturable: keep the number of steps on the parameter's device.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.
    foreach: accepted; small parameters are updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.RMSprop([x], lr=0.1, alpha=0.9)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.4989, -1.4739], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, increment_step, update)
    _sparse_error = "RMSprop does not support sparse gradients"
    _old_defaults: ClassVar[dict[str, Any]] = {"momentum": 0, "centered": False, **Elementwise._old_defaults}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        require(eps >= 0.0, f"Invalid epsilon value: {eps}")
        require(momentum >= 0.0, f"Invalid momentum value: {momentum}")
        require(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        require(alpha >= 0.0, f"Invalid alpha value: {alpha}")
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        momentum = ("momentum_buffer",) if group["momentum"] > 0 else ()
        return ("square_avg", *momentum, *(("grad_avg",) if group["centered"] else ()))


def rmsprop(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    square_avgs: Sequence[Tensor],
    grad_avgs: Sequence[Tensor],
    momentum_buffer_list: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """Update parameters as a step of RMSprop does, with their state in lists beside theirs."""
    check_steps(state_steps)
    others = [*([momentum_buffer_list] if momentum > 0 else []), *([grad_avgs] if centered else [])]
    update_lists(RMSprop._rule, locals(), square_avgs, *others)
