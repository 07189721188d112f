"""Muon: momentum for matrices, whose steps are made orthogonal."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import require, scalar_of
from wengert_optim.group_optimizer import GroupOptimizer
from wengert_optim.optimizer import ParamsT
from wengert_optim.updates.rules import Rule, numbers_of

__all__ = ["Muon", "muon"]

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the Newton-Schulz iteration, from Keller Jordan's Muon: the steepest slope at zero that stays near one above."""


class Muon(GroupOptimizer):
    """Muon: ``param -= rate * orthogonal(b)`` with the running average b of the gradient of a matrix.

    The step is about the nearest matrix whose singular values are one; a Newton-Schulz iteration finds it.

    params: matrices; other parameters need another optimizer.   lr: the learning rate, a number or a tensor of one.
    weight_decay: shrink the parameter by ``lr * weight_decay``.   momentum: the decay rate of the average.
    nesterov: look one step ahead.   ns_coefficients: those of the iteration.   eps: the smallest norm to divide by.
    ns_steps: the number of iterations.   adjust_lr_fn: how the rate depends on the shape: ``"original"``, the default,
    multiplies it by ``sqrt(max(1, rows / columns))``, ``"match_rms_adamw"`` by ``0.2 * sqrt(max(rows, columns))``.

    >>> import wengert as wg
    >>> x = wg.eye(2, requires_grad=True)
    >>> optimizer = wg.optim.Muon([x], lr=0.1, weight_decay=0)
    >>> (x**2).sum().backward()
    >>> optimizer.step()
    >>> x.detach() < wg.eye(2)
    tensor([[ True, False],
            [False,  True]])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        require(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
        require(lr >= 0.0, f"Learning rate should be >= 0 but is: {lr}")
        require(momentum >= 0.0, f"momentum should be >= 0 but is: {momentum}")
        require(weight_decay >= 0.0, f"weight decay should be >= 0 but is: {weight_decay}")
        require(adjust_lr_fn in (None, "original", "match_rms_adamw"),
                f"Adjust learning rate function {adjust_lr_fn} is not supported")  # fmt: skip
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                require(param.ndim == 2,
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                        )  # fmt: skip

    def _update_group(self, group: dict[str, Any], params: list[Tensor], grads: list[Any]) -> None:
        self._check_dense(params, grads)
        states = [self.state[param] for param in params]
        for grad, state in zip(grads, states, strict=True):
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = wengert.zeros_like(grad)
        options, _ = numbers_of(RULE, group, ())
        for param, grad, state in zip(params, grads, states, strict=True):
            update(options, None, param, grad, state["momentum_buffer"])


def orthogonalize(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Return about the nearest matrix whose singular values are one, by a Newton-Schulz iteration.

    Every product is rounded to bfloat16, as the hardware that the method was made for does it.
    """
    require(steps < 100, "Number of steps must be less than 100 for computational efficiency")
    require(matrix.ndim == 2, "Input tensor gradient must be a 2D matrix")
    require(len(coefficients) == 3, "Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = round_to_bfloat16(matrix.T if tall else matrix)
    x = round_to_bfloat16(x / round_to_bfloat16(x.norm()).clamp(min=eps))
    for _ in range(steps):
        gram = round_to_bfloat16(x @ x.T)
        x = round_to_bfloat16(wengert.addmm(x, round_to_bfloat16(gram.addmm(gram, gram, beta=b, alpha=c)), x, beta=a))
    return x.T if tall else x


def round_to_bfloat16(x: Tensor) -> Tensor:
    """Return a tensor as float32, with the precision of bfloat16."""
    return x.to(wengert.bfloat16).to(wengert.float32)


def advance(options: Any) -> None:
    """Do nothing: there is no number of steps."""


def update(options: Any, numbers: None, param: Tensor, grad: Tensor, buffer: Tensor) -> None:
    """Update a matrix and its momentum."""
    require(grad.ndim == 2, "Param gradient must be a 2D matrix")
    rate, momentum = scalar_of(options["lr"]), options["momentum"]
    buffer.lerp_(grad, 1 - momentum)
    change = grad.lerp(buffer, momentum) if options["nesterov"] else buffer
    change = orthogonalize(change, options["ns_coefficients"], options["ns_steps"], options["eps"])
    param.mul_(1 - rate * options["weight_decay"])
    param.add_(change, alpha=-rate_for_shape(rate, options["adjust_lr_fn"], param.shape))


RULE = Rule({}, advance, update)


def rate_for_shape(lr: Any, adjust: str | None, shape: Sequence[int]) -> Any:
    """Return the learning rate of a matrix with this shape."""
    rows, columns = shape[:2]
    if adjust == "match_rms_adamw":
        return lr * (0.2 * sqrt(max(rows, columns)))
    return lr * (sqrt(max(1, rows / columns)) if adjust in (None, "original") else 1.0)


def muon(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    muon_momentum_bufs: Sequence[Tensor],
    *,
    foreach: bool | None = None,
    lr: float,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """Update matrices as a step of Muon does, with their momentum in a list beside theirs."""
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    require(not has_complex, "Complex parameters are not supported")
    options = {
        "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
        "ns_coefficients": ns_coefficients, "ns_steps": ns_steps, "eps": eps, "adjust_lr_fn": adjust_lr_fn,
    }  # fmt: skip
    for param, grad, buffer in zip(params, grads, muon_momentum_bufs, strict=True):
        update(options, None, param, grad, buffer)
