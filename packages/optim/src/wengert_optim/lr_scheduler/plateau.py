"""ReduceLROnPlateau: the learning rate falls when a metric stops improving."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Literal

from wengert_optim.lr_scheduler.base import (
    EPOCH_IS_DEPRECATED,
    LRScheduler,
    check_optimizer,
    group_values,
    set_group_value,
)
from wengert_optim.lr_scheduler.step_order import warn_caller

if TYPE_CHECKING:
    from typing import SupportsFloat

    from wengert_optim.optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Multiply the learning rate by ``factor`` when a metric has not improved for more than ``patience`` steps.

    optimizer: the optimizer whose learning rates are changed.   mode: "min" if lower metrics are better, or "max".
    factor: below 1; ValueError otherwise.   patience: the number of steps without improvement that are borne.
    threshold, threshold_mode: the least improvement: "rel", a fraction of the best metric; "abs", a difference.
    cooldown: the number of steps after a reduction that do not count.
    min_lr: the lowest learning rate, or a list with one for each group.   eps: the least change of a learning rate.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0, 1.0):
    ...     optimizer.step()
    ...     scheduler.step(loss)
    ...     print(scheduler.get_last_lr())
    [1.0]
    [1.0]
    [1.0]
    [0.5]
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"Factor should be < 1.0, got {factor}")
        self.factor = factor
        self.optimizer: Optimizer = check_optimizer(optimizer)
        groups = len(optimizer.param_groups)
        self.default_min_lr: float | None = None
        self.min_lrs: list[float]
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}: one for each group")
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * groups
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch: int = 0
        self._last_lr = group_values(optimizer, "lr")
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown! It is 'min' or 'max'")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown! It is 'rel' or 'abs'")
        self.mode_worse: float = inf if mode == "min" else -inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        """Forget all metrics."""
        self.best: float = self.mode_worse
        self.cooldown_counter: int = 0
        self.num_bad_epochs: int = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take note of the metric, and reduce the learning rates if it has not improved for too long.

        metrics: a number, or a tensor of one element.   epoch: deprecated; the index of the step.
        """
        current = float(metrics)
        if epoch is not None:
            warn_caller(EPOCH_IS_DEPRECATED)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = group_values(self.optimizer, "lr")

    def _reduce_lr(self, epoch: int) -> None:
        """Multiply the learning rates by ``factor``, down to the lowest ones. Subclasses override it; ``epoch``, the
        index of the step, is for them.
        """
        for group, lowest in zip(self.optimizer.param_groups, self._lowest_rates(), strict=True):
            rate = float(group["lr"])
            reduced = max(rate * self.factor, lowest)
            if rate - reduced > self.eps:
                set_group_value(group, "lr", reduced)

    def _lowest_rates(self) -> list[float]:
        """Return ``min_lrs``, with ``min_lr`` for groups that were added since. RuntimeError if that was a list."""
        groups = len(self.optimizer.param_groups)
        if len(self.min_lrs) != groups:
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` "
                    f"was initialized ({len(self.min_lrs)}), usually due to a new param group being added to the "
                    "optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * groups
        return self.min_lrs

    @property
    def in_cooldown(self) -> bool:
        """Whether bad metrics do not count, shortly after a reduction."""
        return self.cooldown_counter > 0

    def _is_better(self, metric: float, best: float) -> bool:
        """Return whether a metric improves on the best by the threshold."""
        if self.mode == "min":
            return metric < (best * (1.0 - self.threshold) if self.threshold_mode == "rel" else best - self.threshold)
        return metric > (best * (self.threshold + 1.0) if self.threshold_mode == "rel" else best + self.threshold)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the attributes that ``state_dict`` returned."""
        super().load_state_dict(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
