"""LambdaLR and MultiplicativeLR: schedulers whose factors a function computes."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from wengert_optim.lr_scheduler.base import LRScheduler, group_values, warn_outside_step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wengert_optim.optimizer import Optimizer

    Factor = Callable[[int], float]

__all__ = ["LambdaLR", "MultiplicativeLR"]


class FunctionLR(LRScheduler):
    """Base of the schedulers with a function of the step's index for each group, ``lr_lambdas``."""

    lr_lambdas: list[Factor]

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        functions: list[Any] = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(functions) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(functions)}: one for each group")
        self.lr_lambdas = functions
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer, as a dict, with the attributes of callable objects for
        ``lr_lambdas``. Functions have no state: None stands for them.
        """
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [function_state(one) for one in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the attributes that ``state_dict`` returned; functions stay as they are."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for index, state in enumerate(state_dict["lr_lambdas"]):
            if state is not None:
                vars(self.lr_lambdas[index]).update(state)


def function_state(function: Any) -> dict[str, Any] | None:
    """Return a copy of the attributes of a callable object; None for a function or a lambda."""
    return None if isinstance(function, FunctionType) else dict(vars(function))


class LambdaLR(FunctionLR):
    """Multiply the initial learning rate by a function of the step's index.

    optimizer: the optimizer whose learning rates are changed.
    lr_lambda: a function from the index to the factor, or a list of functions, one for each group.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [0.5]
    [0.3333333333333333]
    [0.25]
    """

    def get_lr(self) -> list[Any]:
        """Return the initial learning rates times the functions' values, for ``step`` to set."""
        warn_outside_step(self)
        return [rate * function(self.last_epoch) for function, rate in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(FunctionLR):
    """Multiply the present learning rate by a function of the step's index, from step 1 on.

    optimizer: the optimizer whose learning rates are changed.
    lr_lambda: a function from the index to the factor, or a list of functions, one for each group; TypeError for
        anything that cannot be called.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 1 / step)
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [1.0]
    [0.5]
    [0.16666666666666666]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        for function in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the present learning rates times the functions' values, for ``step`` to set."""
        warn_outside_step(self)
        if self._is_initial:
            return group_values(self.optimizer, "lr")
        groups = self.optimizer.param_groups
        return [
            group["lr"] * function(self.last_epoch) for function, group in zip(self.lr_lambdas, groups, strict=True)
        ]
