"""Stochastic gradient descent, with momentum if asked for."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, ClassVar

from wengert import Tensor

from wengert_optim.base.hyperparameters import check_fused_switch, require, scalar_of
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, decay_weights, is_on, unscale, update_one

__all__ = ["SGD", "sgd"]


def advance(options: Any) -> None:
    """Do nothing: there is no number of steps."""


def update(options: Any, numbers: None, param: Tensor, grad: Tensor, buffer: Tensor | None = None) -> Any:
    """Update a parameter and its momentum, which begins with the first gradient and is returned then."""
    made = None
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    if is_on(options, "momentum"):
        if buffer is None:
            buffer = grad.detach().clone()
            made = {"momentum_buffer": buffer}
            grad = grad.add(buffer, alpha=options["momentum"]) if options["nesterov"] else buffer
        else:
            grad = accumulate(options, grad, buffer)
    lr = scalar_of(options["lr"])
    if isinstance(lr, Tensor) and lr.requires_grad:
        param.addcmul_(grad, lr, value=-1)
    else:
        param.add_(grad, alpha=-lr)
    return made


def accumulate(options: Any, grad: Tensor, buffer: Tensor) -> Tensor:
    """Add a gradient to its momentum, and return the direction of the step."""
    momentum = options["momentum"]
    buffer.mul_(momentum).add_(grad, alpha=1 - options["dampening"])
    return grad.add(buffer, alpha=momentum) if options["nesterov"] else buffer


def increment(options: Any, grad: Tensor, buffer: Tensor | None = None) -> tuple[float, Tensor]:
    """Return the factor and the direction of a step, after the momentum has been updated."""
    return -scalar_of(options["lr"]), grad if buffer is None else accumulate(options, grad, buffer)


def reads_param(options: Any) -> bool:
    """Return whether a step depends on the parameter, or on a learning rate that requires grad."""
    lr = options["lr"]
    return is_on(options, "weight_decay") or (isinstance(lr, Tensor) and lr.requires_grad)


class SGD(Elementwise):
    """Stochastic gradient descent: ``param -= lr * b`` with ``b = momentum * b + (1 - dampening) * grad``.

    Without momentum b is the gradient; with it b begins as the first gradient, which is not dampened.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    weight_decay: a factor of the parameter that is added to its gradient.   nesterov: step by ``grad + momentum * b``.
    maximize: go up instead of down.   differentiable: record the graph of the step, whose parameters must then be no
    leaves.   foreach, fused: accepted; small parameters are updated together in any case.
    Gradients may be sparse.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.SGD([x], lr=0.1, momentum=0.9)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.4600, -0.9200], requires_grad=True)
    """

    _rule = Rule({}, advance, update, increment, reads_param)
    _old_defaults: ClassVar[dict[str, Any]] = {
        "nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False,
    }  # fmt: skip

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        require(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
        require(not lr < 0.0, f"Invalid learning rate: {lr}")
        require(not momentum < 0.0, f"Invalid momentum value: {momentum}")
        require(not weight_decay < 0.0, f"Invalid weight_decay value: {weight_decay}")
        require(not nesterov or (momentum > 0 and dampening == 0),
                "Nesterov momentum requires a momentum and zero dampening")  # fmt: skip
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused_switch(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True

    def _tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    def _new_state(self, group: dict[str, Any], param: Tensor) -> dict[str, Any]:
        return {"momentum_buffer": None}


def sgd(
    params: Sequence[Tensor],
    d_p_list: Sequence[Tensor],
    momentum_buffer_list: MutableSequence[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Update parameters as a step of SGD does; a momentum that begins is put into its list, in the place of None."""
    if not unscale(d_p_list, fused, grad_scale, found_inf):
        return
    options = {
        "weight_decay": weight_decay, "momentum": momentum, "lr": lr, "dampening": dampening, "nesterov": nesterov,
        "maximize": maximize,
    }  # fmt: skip
    for index, (param, grad) in enumerate(zip(params, d_p_list, strict=True)):
        made = update_one(SGD._rule, options, param, grad, (), momentum_buffer_list[index : index + 1])
        if made:
            momentum_buffer_list[index] = made["momentum_buffer"]
