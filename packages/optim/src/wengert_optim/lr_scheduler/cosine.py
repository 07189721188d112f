"""CosineAnnealingLR and CosineAnnealingWarmRestarts: the learning rate follows a cosine.

Source: Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, ICLR 2017, equation 5.
"""

from __future__ import annotations

from math import cos, floor, log, pi
from typing import TYPE_CHECKING, Any

from wengert_optim.lr_scheduler.base import LRScheduler, group_values, warn_outside_step

if TYPE_CHECKING:
    from wengert_optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts"]


class CosineAnnealingLR(LRScheduler):
    """Lower the learning rate from the initial one to ``eta_min`` in ``T_max`` steps, along half a period of a cosine.

    In step n it is ``eta_min + (initial - eta_min) * (1 + cos(pi * n / T_max)) / 2``; after ``T_max`` steps it rises
    again. The chainable form changes the present rate by the quotient of two steps.

    optimizer: the optimizer whose learning rates are changed.   T_max: the steps of half a period.
    eta_min: the lowest rate.   last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for _ in range(5):
    ...     print(f"{scheduler.get_last_lr()[0]:.4f}")
    ...     optimizer.step()
    ...     scheduler.step()
    1.0000
    0.8536
    0.5000
    0.1464
    0.0000
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the step ``last_epoch``, for ``step`` to set."""
        warn_outside_step(self)
        if self._is_initial:
            return group_values(self.optimizer, "lr")
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the step before was at eta_min: no quotient
            rise = (1 - cos(pi / self.T_max)) / 2
            return [rate + (base - self.eta_min) * rise for base, rate in zip(self.base_lrs, rates, strict=True)]
        quotient = (1 + cos(pi * self.last_epoch / self.T_max)) / (1 + cos(pi * (self.last_epoch - 1) / self.T_max))
        return [quotient * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        """Return the learning rates of the step ``last_epoch``, from the initial ones."""
        return anneal(self.base_lrs, self.eta_min, pi * self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lower the learning rate to ``eta_min`` along a cosine, and begin again at the initial rate, again and again.

    optimizer: the optimizer whose learning rates are changed.
    T_0: the steps until the first restart, a positive integer; ValueError otherwise.
    T_mult: the factor by which the steps until the next restart grow, an integer of at least 1; ValueError otherwise.
    eta_min: the lowest rate.   last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2, T_mult=2)
    >>> for _ in range(7):
    ...     print(f"{scheduler.get_last_lr()[0]:.4f}")
    ...     optimizer.step()
    ...     scheduler.step()
    1.0000
    0.5000
    1.0000
    0.8536
    0.5000
    0.1464
    1.0000
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i: float = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates ``T_cur`` steps after the last restart, for ``step`` to set."""
        warn_outside_step(self)
        return anneal(self.base_lrs, self.eta_min, pi * self.T_cur / self.T_i)

    def step(self, epoch: float | None = None) -> None:
        """Set the learning rates of the next step, or of the point ``epoch``.

        epoch: a number of at least 0, which may lie between two steps, as ``epoch + batch / batches``; ValueError for a
            negative one.
        """
        if epoch is None and self.last_epoch >= 0:
            self._advance()
            self.last_epoch += 1
        else:
            self._go_to(epoch or 0)
            self.last_epoch: int = floor(epoch or 0)
        self._set_rates(self.get_lr)

    def _advance(self) -> None:
        """Go one step further from the last restart, or restart."""
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult

    def _go_to(self, epoch: float) -> None:
        """Find the restart before the point ``epoch``."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_cur, self.T_i = epoch, self.T_0
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            restarts = int(log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**restarts


def anneal(rates: list[Any], lowest: float, angle: float) -> list[Any]:
    """Return the rates at an angle of the cosine: 0 for the rates themselves, pi for the lowest."""
    return [lowest + (rate - lowest) * (1 + cos(angle)) / 2 for rate in rates]
