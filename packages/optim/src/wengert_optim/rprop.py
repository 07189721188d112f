"""Rprop: steps whose sizes grow while the gradient keeps its sign, whatever its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_lr, check_steps, require, scalar_of, step_tensor
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, increment_step, update_lists

__all__ = ["Rprop", "rprop"]


def update(options: Any, numbers: None, param: Tensor, grad: Tensor, previous: Tensor, sizes: Tensor) -> None:
    """Update a parameter, the gradient before and the sizes of steps."""
    shrink, grow = options["etas"]
    sign = grad.mul(previous.clone() if options["differentiable"] else previous).sign()
    turned = sign < 0
    factor = wengert.where(turned, shrink, wengert.where(sign > 0, grow, wengert.where(sign == 0, 1.0, sign)))
    sizes.mul_(factor).clamp_(*options["step_sizes"])
    grad = wengert.where(turned, 0.0, grad)
    param.addcmul_(grad.sign(), sizes.clone() if options["differentiable"] else sizes, value=-1)
    previous.copy_(grad)


class Rprop(Elementwise):
    """Rprop: ``param -= size * sign(grad)``, each element with a size of its own.

    A size is multiplied by ``etas[1]`` where the gradient has the sign of the one before and by ``etas[0]`` where it
    has the other; there the element rests for one step.

    params: parameters, pairs of name and parameter, or groups.   lr: the first size, a number or a tensor of one.
    etas: the factors, below and above one.   step_sizes: the smallest and the largest size.
    capturable: keep the number of steps on the parameter's device.   maximize: go up instead of down.
    differentiable: record the graph of the step, whose parameters must then be no leaves.
    foreach: accepted; small parameters are updated together in any case.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -0.1], requires_grad=True)
    >>> optimizer = wg.optim.Rprop([x], lr=0.2)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([0.2720, 0.0000], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, increment_step, update)
    _state_names = ("prev", "step_size")
    _sparse_error = "Rprop does not support sparse gradients"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        require(0.0 < etas[0] < 1.0 < etas[1], f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, group: dict[str, Any], param: Tensor) -> dict[str, Any]:
        lr: Any = scalar_of(group["lr"])
        grad: Any = param.grad
        sizes = wengert.full_like(grad, complex(lr, lr) if param.is_complex() else lr)
        return {"step": step_tensor(group, param), "prev": wengert.zeros_like(param), "step_size": sizes}


def rprop(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    prevs: Sequence[Tensor],
    step_sizes: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """Update parameters as a step of Rprop does, with their state in lists beside theirs."""
    check_steps(state_steps)
    options = {**locals(), "etas": (etaminus, etaplus), "step_sizes": (step_size_min, step_size_max)}
    update_lists(Rprop._rule, options, prevs, step_sizes)
