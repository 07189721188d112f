"""Schedulers that multiply the learning rate by a factor: step, multi-step, constant, linear, exponential, polynomial.

Each has two forms. The chainable one multiplies the present rate, so that several schedulers, and the program, can
change the rate together; the closed one multiplies the initial rate, for ``step(epoch)``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

from wengert_optim.lr_scheduler.base import LRScheduler, group_values, warn_outside_step

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wengert_optim.optimizer import Optimizer

__all__ = ["ConstantLR", "ExponentialLR", "LinearLR", "MultiStepLR", "PolynomialLR", "StepLR"]


class FactorLR(LRScheduler):
    """Base of the schedulers whose factor is the same for all groups."""

    def _factor(self) -> Any:
        """Return the rate of the step ``last_epoch`` over that of the step before; None leaves the rate as it is."""
        raise NotImplementedError

    def _closed_factor(self) -> Any:
        """Return the rate of the step ``last_epoch`` over the initial rate."""
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        """Return the present learning rates times the factor of the step ``last_epoch``, for ``step`` to set."""
        warn_outside_step(self)
        factor = self._factor()
        if factor is None:
            return group_values(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        """Return the learning rates of the step ``last_epoch``, from the initial ones."""
        factor = self._closed_factor()
        return [rate * factor for rate in self.base_lrs]


class StepLR(FactorLR):
    """Multiply the learning rate by ``gamma`` every ``step_size`` steps.

    optimizer: the optimizer whose learning rates are changed.   step_size: the number of steps between two changes.
    gamma: the factor.   last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(5):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [1.0]
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> Any:
        return self.gamma if self.last_epoch != 0 and self.last_epoch % self.step_size == 0 else None

    def _closed_factor(self) -> Any:
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(FactorLR):
    """Multiply the learning rate by ``gamma`` at each of the milestones.

    optimizer: the optimizer whose learning rates are changed.
    milestones: the indices of the steps at which the rate changes; one that comes twice multiplies twice.
    gamma: the factor.   last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones: Counter[int] = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> Any:
        times = self.milestones.get(self.last_epoch)
        return None if times is None else self.gamma**times

    def _closed_factor(self) -> Any:
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ConstantLR(FactorLR):
    """Multiply the learning rate by ``factor`` for the first ``total_iters`` steps, then by 1.

    optimizer: the optimizer whose learning rates are changed.   factor: between 0 and 1; ValueError otherwise.
    total_iters: the number of steps.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.ConstantLR(optimizer, factor=0.25, total_iters=2)
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.25]
    [0.25]
    [1.0]
    [1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError(f"Constant multiplicative factor expected to be between 0 and 1, got {factor}")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> Any:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _closed_factor(self) -> Any:
        return self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)


class LinearLR(FactorLR):
    """Multiply the initial learning rate by a factor that goes linearly from ``start_factor`` to ``end_factor``.

    optimizer: the optimizer whose learning rates are changed.
    start_factor: the factor of the first step, above 0 and at most 1; ValueError otherwise.
    end_factor: the factor after ``total_iters`` steps, between 0 and 1; ValueError otherwise.
    total_iters: the number of steps.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.5]
    [0.75]
    [1.0]
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1, got "
                f"start_factor {start_factor}"
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(
                f"Ending multiplicative factor expected to be between 0 and 1, got end_factor {end_factor}"
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> Any:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        change = self.end_factor - self.start_factor
        return 1.0 + change / (self.total_iters * self.start_factor + (self.last_epoch - 1) * change)

    def _closed_factor(self) -> Any:
        change = self.end_factor - self.start_factor
        return self.start_factor + change * min(self.total_iters, self.last_epoch) / self.total_iters


class ExponentialLR(FactorLR):
    """Multiply the learning rate by ``gamma`` in every step.

    optimizer: the optimizer whose learning rates are changed.   gamma: the factor.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for _ in range(3):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [0.5]
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> Any:
        return None if self._is_initial else self.gamma

    def _closed_factor(self) -> Any:
        return self.gamma**self.last_epoch


class PolynomialLR(FactorLR):
    """Multiply the initial learning rate by ``(1 - n / total_iters) ** power`` in step n, down to 0.

    optimizer: the optimizer whose learning rates are changed.   total_iters: the number of steps.
    power: the exponent.   last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2, power=2.0)
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [0.25]
    [0.0]
    [0.0]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> Any:
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        now, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return (now / before) ** self.power

    def _closed_factor(self) -> Any:
        return (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power
