"""OneCycleLR: the learning rate goes up once, and down to far below the first one.

Source: Smith and Topin, Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates, 2017.
"""

from __future__ import annotations

from math import cos, pi
from typing import TYPE_CHECKING, Any, Literal

from wengert_optim.lr_scheduler.base import check_optimizer, per_group, warn_outside_step
from wengert_optim.lr_scheduler.momentum import MomentumScheduler

if TYPE_CHECKING:
    from wengert_optim.optimizer import Optimizer

__all__ = ["OneCycleLR"]


class OneCycleLR(MomentumScheduler):
    """Move the learning rate from ``max_lr / div_factor`` up to ``max_lr``, then down to far below the first one.

    optimizer: the optimizer whose learning rates are changed.   max_lr: the peak, one for all groups or a list.
    total_steps: the number of steps of the cycle, or None for ``epochs * steps_per_epoch``; ValueError if neither is
        given, and from ``step`` for more steps.
    pct_start: the part of the steps in which the rate rises, a float between 0 and 1; ValueError otherwise.
    anneal_strategy: the way between two rates, "cos" or "linear"; ValueError otherwise.
    cycle_momentum: move the momentum as well (or beta1), from ``max_momentum`` down to ``base_momentum`` while the
        learning rate goes up, and back; ValueError for an optimizer that has none.
    div_factor: the peak over the first rate.   final_div_factor: the first rate over the last.
    three_phase: go down to the first rate in as many steps as up, and to the last rate in a third phase.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = wg.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5, pct_start=0.6)
    >>> for _ in range(4):
    ...     print(f"{scheduler.get_last_lr()[0]:.3f} {optimizer.param_groups[0]['momentum']:.2f}")
    ...     optimizer.step()
    ...     scheduler.step()
    0.040 0.95
    0.520 0.90
    1.000 0.85
    0.500 0.90
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer: Optimizer = check_optimizer(optimizer)
        self.total_steps: int = number_of_steps(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        self._schedule_phases = schedule_phases(self.total_steps, pct_start, three_phase)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        peaks = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["initial_lr"] = peak / div_factor
                group["max_lr"] = peak
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._init_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the step ``last_epoch``, for ``step`` to set; set the momentum of that step.

        Raises ValueError after the last step.
        """
        warn_outside_step(self)
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        phase, fraction = self._position(step)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], fraction))
            if self.cycle_momentum:
                momentum = self._anneal_func(group[phase["start_momentum"]], group[phase["end_momentum"]], fraction)
                self._set_momentum(group, momentum)
        return rates

    def _position(self, step: int) -> tuple[dict[str, Any], float]:
        """Return the phase of a step and the fraction of the phase that is over."""
        start = 0.0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if step <= end or phase is self._schedule_phases[-1]:
                break
            start = end
        return phase, (step - start) / (end - start)

    def _anneal_func(self, start: Any, end: Any, fraction: float) -> Any:
        """Return the value at a fraction of the way from start to end."""
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (cos(pi * fraction) + 1)
        return (end - start) * fraction + start


def number_of_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """Return the number of steps of the cycle. Raises ValueError if it is missing or no positive integer."""
    if total_steps is not None:
        return check_positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return check_positive("epochs", epochs) * check_positive("steps_per_epoch", steps_per_epoch)


def check_positive(name: str, value: Any) -> int:
    """Return a positive integer. Raises ValueError for anything else."""
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def schedule_phases(steps: int, up: float, three_phase: bool) -> list[dict[str, Any]]:
    """Return the phases: the step at which each ends, and the keys of a group's values between which it leads."""
    ends = [float(up * steps) - 1, float(2 * up * steps) - 2, steps - 1] if three_phase else [up * steps - 1, steps - 1]
    rates = ["initial_lr", "max_lr", "initial_lr", "min_lr"] if three_phase else ["initial_lr", "max_lr", "min_lr"]
    momenta = ["max_momentum", "base_momentum", "max_momentum", "max_momentum"]
    return [
        {
            "end_step": end,
            "start_lr": rates[index],
            "end_lr": rates[index + 1],
            "start_momentum": momenta[index],
            "end_momentum": momenta[index + 1],
        }
        for index, end in enumerate(ends)
    ]
