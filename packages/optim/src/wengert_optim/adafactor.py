"""Adafactor: steps relative to the parameter, whose second average is kept for rows and columns only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_steps, require, scalar_of, step_tensor
from wengert_optim.group_optimizer import GroupOptimizer
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.rules import Rule, number_of, numbers_of

__all__ = ["Adafactor", "adafactor"]


class Adafactor(GroupOptimizer):
    """Adafactor: ``param -= rate * u`` with the gradient over the root of its average square as u, clipped to norm d.

    The average square of a matrix is the product of the averages of its rows and columns, which are all that is kept.
    The rate of a step is ``max(eps[1], rms(param)) * min(lr, 1 / sqrt(step))``.

    params: real parameters, pairs of name and parameter, or groups.   lr: the largest relative step, and the factor
    of the weight decay.   beta2_decay: the power of the step number by which new squares count.   eps: the smallest
    average square, None for the dtype's eps, and the smallest size of a parameter.   d: the largest root mean square of
    u.   weight_decay: shrink the parameter by ``lr * weight_decay``.   maximize: go up instead of down.
    foreach: accepted, without effect.

    >>> import wengert as wg
    >>> x = wg.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    >>> optimizer = wg.optim.Adafactor([x], lr=0.1)
    >>> (x**2).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([[ 0.7879, -1.7000],
            [ 2.7154,  3.7317]], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        require(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
        require(lr >= 0.0, f"Learning rate should be >= 0 but is: {lr}")
        require(beta2_decay <= 0.0, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        require(eps[0] is None or eps[0] >= 0.0, f"epsilon1 should be >= 0 but is: {eps[0]}")
        require(eps[1] >= 0.0, f"epsilon2 should be >= 0 but is: {eps[1]}")
        require(d >= 1.0, f"Clipping threshold d should be >= 1 but is: {d}")
        require(weight_decay >= 0.0, f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            for param in group["params"]:
                own = self.state.get(param)
                if own and not isinstance(own["step"], Tensor):
                    own["step"] = step_tensor({}, param, own["step"])

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient. closure: as of other optimizers.

        Raises RuntimeError also where a graph of a device is captured.
        """
        self._accelerator_graph_capture_health_check()
        return super().step(closure)

    def _update_group(self, group: dict[str, Any], params: list[Tensor], grads: list[Any]) -> None:
        self._check_dense(params, grads)
        states = [self.state[param] for param in params]
        for param, grad, state in zip(params, grads, states, strict=True):
            if not state:
                state.update(step=step_tensor({}, param), **new_averages(grad))
        rows, columns, variances, steps = (
            [state.get(name) for state in states] for name in ("row_var", "col_var", "variance", "step")
        )
        known, _ = numbers_of(RULE, group, ())
        options: dict[str, Any] = {name: known[name] for name in self.defaults if name in known and name != "eps"}
        scaler: dict[str, Any] = {name: getattr(self, name, None) for name in ("grad_scale", "found_inf")}
        eps1, eps2 = known["eps"]
        adafactor(params, grads, rows, columns, variances, steps, **scaler, **options, eps1=eps1, eps2=eps2)


def advance(options: Any) -> None:
    """Do nothing: each parameter counts its own steps."""


RULE = Rule({}, advance, lambda *_: None)
"""For the options of a captured step, which it reads in each replay."""


def new_averages(grad: Tensor) -> dict[str, Tensor]:
    """Return the averages of squares before the first step: of rows and columns, of a vector for each element."""
    if grad.dim() < 2:
        return {"variance": wengert.zeros_like(grad)}
    *batch, rows, columns = grad.shape
    return {"row_var": grad.new_zeros([*batch, rows, 1]), "col_var": grad.new_zeros([*batch, 1, columns])}


def average_square(grad: Tensor, row: Any, column: Any, variance: Any, weight: Any, eps: float) -> Tensor:
    """Return the average square of each element, after a new gradient has got its weight in it."""
    if grad.dim() < 2:
        square: Tensor = variance.lerp_(grad * grad, weight).clone()
        return square
    row.lerp_(grad.square().mean(dim=-1, keepdim=True), weight)
    column.lerp_(grad.square().mean(dim=-2, keepdim=True), weight)
    product: Tensor = row @ column
    return product.div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps))


def rate_of(n: int, lr: Any, eps: float, d: float) -> Callable[..., float]:
    """Return a function of the step, the parameter's norm and the change's norm that gives the factor of the change.

    n: the number of elements.   lr: a number; None if the function gets a tensor for it.
    """

    def rate(step: Tensor, param_norm: Tensor, change_norm: Tensor, lr: Any = lr) -> float:
        size, change = (float(norm.item() / n**0.5) for norm in (param_norm, change_norm))
        count: Any = step.item()
        return float(-(max(eps, size) * min(lr, 1 / count**0.5)) / max(1.0, change / d))

    return rate


def adafactor(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    row_vars: Sequence[Tensor | None],
    col_vars: Sequence[Tensor | None],
    variances: Sequence[Tensor | None],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | Tensor,
    beta2_decay: float,
    weight_decay: float | Tensor,
    eps1: float | None,
    eps2: float,
    maximize: bool,
) -> None:
    """Update parameters as a step of Adafactor does, with their state in lists beside theirs."""
    check_steps(state_steps)
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    lr = scalar_of(lr)
    averages = zip(row_vars, col_vars, variances, strict=True)
    for param, grad, step, (row, column, variance) in zip(params, grads, state_steps, averages, strict=True):
        eps = wengert.finfo(param.dtype).eps if eps1 is None else eps1
        grad = -grad if maximize else grad
        weight = number_of(lambda step: float(step.item() ** beta2_decay), step.add_(1))
        norm = param.norm(2)
        if isinstance(weight_decay, Tensor) or weight_decay:
            param.mul_(1 - lr * weight_decay)
        square = average_square(grad, row, column, variance, weight, eps)
        change = square.clamp_(min=eps * eps).rsqrt_().mul_(grad)
        number, read = (None, (lr,)) if isinstance(lr, Tensor) else (lr, ())
        rate = rate_of(param.numel(), number, eps2, d)
        param.add_(change, alpha=number_of(rate, step, norm, change.norm(2), *read))
