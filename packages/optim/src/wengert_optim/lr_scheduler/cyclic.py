"""CyclicLR: the learning rate goes up and down between two boundaries.

Source: Smith, Cyclical Learning Rates for Training Neural Networks, WACV 2017.
"""

from __future__ import annotations

from math import floor
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

from wengert_optim.lr_scheduler.base import check_optimizer, per_group, set_group_value, warn_outside_step
from wengert_optim.lr_scheduler.momentum import MomentumScheduler

if TYPE_CHECKING:
    from collections.abc import Callable

    from wengert_optim.optimizer import Optimizer

__all__ = ["CyclicLR"]

SCALE_MODE = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}


class CyclicLR(MomentumScheduler):
    """Move the learning rate linearly from ``base_lr`` up to ``max_lr`` and down again, in every cycle.

    optimizer: the optimizer whose learning rates are changed.
    base_lr, max_lr: the boundaries; each is one for all groups, or a list with one for each.
    step_size_up, step_size_down: the steps up and those down; None takes as many down as up.
    mode: "triangular" keeps the upper boundary, "triangular2" halves the height in each cycle, "exp_range" multiplies
        it by ``gamma`` in each step; ValueError for another one without ``scale_fn``.
    scale_fn, scale_mode: a function for the height instead of ``mode``, of the number of the cycle, which begins at 1
        (scale_mode "cycle"), or of the step ("iterations").
    cycle_momentum: move the momentum as well (or beta1), from ``max_momentum`` down to ``base_momentum`` while the
        learning rate goes up; ValueError for an optimizer that has none.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = wg.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> for _ in range(5):
    ...     print(scheduler.get_last_lr(), f"{optimizer.param_groups[0]['momentum']:.2f}")
    ...     optimizer.step()
    ...     scheduler.step()
    [0.0] 0.90
    [0.5] 0.85
    [1.0] 0.80
    [0.5] 0.85
    [0.0] 0.90
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer: Optimizer = check_optimizer(optimizer)
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_group_value(group, "lr", rate)
        self.max_lrs: list[Any] = per_group("max_lr", optimizer, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size: float = float(step_size_up) + float(down)
        self.step_ratio: float = float(step_size_up) / self.total_size
        if mode not in SCALE_MODE and scale_fn is None:
            modes = ", ".join(SCALE_MODE)
            raise ValueError(f"mode is invalid and scale_fn is None: mode is one of {modes}, got {mode}")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode: str = SCALE_MODE[mode] if scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums: list[Any]
            self.max_momentums: list[Any]
            momenta = self._init_momentum(optimizer, base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = momenta
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> Any:
        """Return the factor of the height, for the number of a cycle or for a step, as ``scale_mode`` says."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the step ``last_epoch``, for ``step`` to set; set the momentum of that step."""
        warn_outside_step(self)
        cycle = floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for group, low, high in zip(groups, self.base_momentums, self.max_momentums, strict=True):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer, as a dict, with the attributes of a callable object for
        ``scale_fn``. A function has no state: None stands for it.
        """
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        stateless = function is None or isinstance(function, FunctionType)
        state["_scale_fn_custom"] = None if stateless else dict(vars(function))
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the attributes that ``state_dict`` returned; a function stays as it is."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            vars(self._scale_fn_custom).update(state_dict["_scale_fn_custom"])
        if self._scale_fn_custom is None:
            self.scale_mode = SCALE_MODE[self.mode]
