"""SparseAdam: Adam for sparse gradients, which updates only the elements that a gradient names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_betas, require, scalar_of
from wengert_optim.group_optimizer import GroupOptimizer
from wengert_optim.optimizer import ParamsT

__all__ = ["SparseAdam", "sparse_adam"]


class SparseAdam(GroupOptimizer):
    """Adam for gradients that are sparse, as those of ``embedding(..., sparse=True)``.

    The averages of elements that a gradient does not name stay as they are, and so do these elements.

    params: dense parameters, pairs of name and parameter, or groups.   lr: the learning rate, a number or a tensor
    of one.   betas: decay rates of the averages of the gradient and of its square.   eps: a term that keeps the divisor
    from zero.   maximize: go up instead of down.

    >>> import wengert as wg
    >>> x = wg.zeros(3, requires_grad=True)
    >>> optimizer = wg.optim.SparseAdam([x], lr=0.1)
    >>> x.grad = wg.sparse_coo_tensor([[1]], [5.0], (3,))
    >>> optimizer.step()
    >>> x
    tensor([ 0.0000, -0.1000,  0.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        require(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
        require(lr > 0.0, f"Invalid learning rate: {lr}")
        require(eps > 0.0, f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        sparse, complex_ = self._indices_where(Tensor.is_sparse.__get__), self._indices_where(Tensor.is_complex)
        require(not sparse, f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        require(not complex_,
                f"Complex params at indices {complex_}: SparseAdam does not support complex parameters")  # fmt: skip

    def _indices_where(self, condition: Callable[[Tensor], bool]) -> list[list[int]]:
        """Return the indices of groups, and of parameters in them, where the condition holds."""
        return [[number, index] for number, group in enumerate(self.param_groups)
                for index, param in enumerate(group["params"]) if condition(param)]  # fmt: skip

    def _update_group(self, group: dict[str, Any], params: list[Tensor], grads: list[Any]) -> None:
        if not all(grad.is_sparse for grad in grads):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        states = [self.state[param] for param in params]
        for param, state in zip(params, states, strict=True):
            if not state:
                state.update(step=0, exp_avg=wengert.zeros_like(param), exp_avg_sq=wengert.zeros_like(param))
            state["step"] += 1
        means, squares, steps = ([state[name] for state in states] for name in ("exp_avg", "exp_avg_sq", "step"))
        beta1, beta2 = group["betas"]
        options = {"beta1": beta1, "beta2": beta2, "lr": scalar_of(group["lr"]), "eps": group["eps"]}
        sparse_adam(params, grads, means, squares, steps, **options, maximize=group.get("maximize", False))


def sparse_adam(
    params: Sequence[Tensor],
    grads: Sequence[Any],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """Update parameters as a step of SparseAdam does, with their state in lists beside theirs."""
    for param, grad, mean, square, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps, strict=True):
        grad = grad.coalesce()  # an element that is named twice counts with its sum
        values = -grad.values() if maximize else grad.values()
        if not values.numel():
            continue
        named = tuple(grad.indices())
        means = mean[named].lerp_(values, 1 - beta1)
        squares = square[named].lerp_(values.square(), 1 - beta2)
        mean[named], square[named] = means, squares
        size = lr * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        param.index_put_(named, means.div(squares.sqrt().add_(eps)).mul_(-size), accumulate=True)
