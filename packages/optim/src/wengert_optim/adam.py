"""Adam: steps by a running average of the gradient, divided by the root of one of its square."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import (
    check_adam_options,
    check_fused_switch,
    check_steps,
    require,
    scalar_of,
    value_of,
)
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.elementwise import Elementwise
from wengert_optim.updates.rules import Rule, decay_weights, is_on, is_tensor, unscale, update_lists

__all__ = ["Adam", "adam"]

NO_TENSOR = "{} as a Tensor is not supported for capturable=False and foreach=True"


def advance(options: Any, step: Tensor) -> tuple[Any, Any]:
    """Count a step; return the step size, and the root of what corrects the second average."""
    if options["foreach"] and isinstance(options["lr"], Tensor) and not options["capturable"]:
        raise RuntimeError(NO_TENSOR.format("lr"))
    step.add_(1)
    count = step.clone() if options["capturable"] or options["differentiable"] else value_of(step)
    beta1, beta2 = options["betas"]
    size = scalar_of(options["lr"]) / (1 - beta1**count)
    return size if isinstance(count, Tensor) else value_of(size), (1 - beta2**count) ** 0.5


def update(
    options: Any, numbers: tuple[Any, Any], param: Tensor, grad: Tensor, mean: Tensor, square: Tensor, peak: Any = None
) -> None:
    """Update a parameter and its averages; ``peak``, the largest second average so far, is there for amsgrad."""
    size, root = numbers
    beta1, beta2 = options["betas"]
    if is_on(options, "weight_decay"):
        grad = decay_weights(options, param, grad)
    mean.lerp_(grad, 1 - beta1)
    if isinstance(beta2, Tensor) and beta2.requires_grad:
        square.lerp_(grad.square(), 1 - beta2)
    else:
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    if is_tensor(options, root):
        if peak is not None:
            square = peak.copy_(wengert.maximum(peak.clone(), square.clone()))
        scale = (square.sqrt() / (root * -size)).add(options["eps"] / -size)
        param.addcdiv_(mean.clone(), scale)
        return
    if peak is not None:
        square = wengert.maximum(peak, square, out=peak)
    param.addcdiv_(mean, square.sqrt().add_(options["eps"] * root), value=-size * root)


class Adam(Elementwise):
    r"""Adam: ``param -= lr * m / (sqrt(v) + eps)`` with running averages m of the gradient and v of its square.

    Both averages begin at zero, which is corrected: they are divided by ``1 - beta ** step``.

    params: parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor of one.
    betas: decay rates of the two averages.   eps: a term that keeps the divisor from zero.
    weight_decay: a factor of the parameter that is added to its gradient.   amsgrad: divide by the largest average of
    the square so far.   maximize: go up instead of down.   capturable: keep the number of steps on the parameter's
    device.   differentiable: record the graph of the step, whose parameters must then be no leaves.
    decoupled_weight_decay: shrink the parameter by ``lr * weight_decay`` instead, as AdamW does.
    foreach, fused: accepted; small parameters are updated together in any case. A gradient scaler leaves it to a fused
    optimizer to unscale the gradients.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = wg.optim.Adam([x], lr=0.1)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (x**2).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([ 0.7016, -1.7006], requires_grad=True)
    """

    _rule = Rule({"step": 0.0}, advance, update)
    _sparse_error = "Adam does not support sparse gradients, please consider SparseAdam instead"
    _old_defaults: ClassVar[dict[str, Any]] = {
        "amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "decoupled_weight_decay": False, "fused": None,
    }  # fmt: skip

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        lists = bool(foreach and not capturable)
        require(not (lists and isinstance(lr, Tensor)), NO_TENSOR.format("lr"))
        check_adam_options(lr, betas, eps, weight_decay)
        check_types_of_betas(betas, lists)
        defaults = {
            "lr": lr, "betas": tuple(map(scalar_of, betas)), "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused_switch(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True

    def _tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")


def check_types_of_betas(betas: Any, lists: bool) -> None:
    """Raise ValueError unless both betas are floats, or both are tensors of one element where those are allowed."""
    tensors = [isinstance(beta, Tensor) for beta in betas[:2]]
    require(all(tensors) or all(isinstance(beta, float) for beta in betas[:2]),
            "betas must be either both floats or both Tensors")  # fmt: skip
    for index, beta in enumerate(betas[:2] if all(tensors) else ()):
        require(not lists, NO_TENSOR.format(f"betas[{index}]"))
        require(beta.numel() == 1, f"Tensor betas[{index}] must be 1-element")


def adam(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    max_exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Update parameters as a step of Adam does, with their state in lists beside theirs."""
    check_steps(state_steps)
    if not unscale(grads, fused, grad_scale, found_inf):
        return
    averages = (exp_avgs, exp_avg_sqs, max_exp_avg_sqs) if amsgrad else (exp_avgs, exp_avg_sqs)
    update_lists(Adam._rule, {**locals(), "betas": (scalar_of(beta1), scalar_of(beta2))}, *averages)
