"""ASGD: stochastic gradient descent that also keeps the average of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_lr, require, scalar_dtype, scalar_of, value_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, count_step, decay_weights, is_on, is_tensor, update_lists

__all__ = ["ASGD", "asgd"]


def advance(options: Any, step: Tensor, eta: Tensor, mu: Tensor) -> tuple[Any, Any]:
    """Count a step and set the rates of the next one; return this one's: of the step and of the average."""
    count = count_step(options, step)
    capturable = options["capturable"]
    rates = (eta.clone(), mu.clone()) if capturable else (value_of(eta), value_of(mu))
    lr, lambd = scalar_of(options["lr"]), options["lambd"]
    next_eta = lr / ((1 + lambd * lr * count) ** options["alpha"])
    past = count - options["t0"]
    if capturable:
        eta.copy_(next_eta)
        mu.copy_(1 / past.clamp(min=1))
    else:
        eta.copy_(as_tensor(next_eta))  # in the default dtype, whatever a checkpoint has made of eta
        mu.copy_(as_tensor(1 / max(1, past)))
    return rates


def as_tensor(value: Any) -> Tensor:
    """Return a number as a tensor of the host, whatever the default device is; a tensor is returned as it is."""
    return value if isinstance(value, Tensor) else wengert.tensor(value, device="cpu")


def update(options: Any, rates: tuple[Any, Any], param: Tensor, grad: Tensor, mean: Tensor) -> None:
    """Update a parameter and its average."""
    eta, mu = rates
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    param.mul_(1 - options["lambd"] * eta)
    if is_tensor(options, eta):
        param.addcmul_(grad, eta, value=-1)
    else:
        param.add_(grad, alpha=-eta)
    if is_tensor(options, mu) or bool(mu != 1):
        mean.add_(param.sub(mean).mul_(mu))
    else:
        mean.copy_(param)


class ASGD(Elementwise):
    """Averaged stochastic gradient descent: ``param = param * (1 - lambd * eta) - eta * grad``, and its average.

    The rate of a step is ``eta = lr / (1 + lambd * lr * step) ** alpha``. The average, ``state[param]["ax"]``, follows
    the parameter until step t0 and weighs all later steps alike.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    lambd: the decay of the parameter.   alpha: how fast the rate falls.   t0: the step from which averages are taken.
    weight_decay: a factor of the parameter that is added to its gradient.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.   capturable: read the rates
    on the parameter's device.   foreach: accepted; small parameters are updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.ASGD([x], lr=0.1, t0=1)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x, optimizer.state[x]["ax"]
    (tensor([ 0.5120, -1.0240], requires_grad=True), tensor([ 0.5120, -1.0240]))
    """

    _rule = Rule({"step": 0.0, "eta": 0.0, "mu": 1.0}, advance, update)
    _state_names = ("ax",)
    _sparse_error = "ASGD does not support sparse gradients"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        require(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, group: dict[str, Any], param: Tensor) -> dict[str, Any]:
        numbers = {"step": 0.0, "eta": float(group["lr"]), "mu": 1.0}
        place: dict[str, Any] = {"dtype": scalar_dtype(), "device": param.device}
        state = {name: wengert.tensor(value, **place) for name, value in numbers.items()}
        return {**state, "ax": wengert.zeros_like(param)}


def asgd(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    axs: Sequence[Tensor],
    mus: Sequence[Tensor],
    etas: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """Update parameters as a step of ASGD does, with their state in lists beside theirs."""
    update_lists(ASGD._rule, locals(), axs)
