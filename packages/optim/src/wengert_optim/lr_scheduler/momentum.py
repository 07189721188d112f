"""Momentum that schedulers cycle against the learning rate: ``momentum`` of a group, or the first of its ``betas``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert_optim.lr_scheduler.base import LRScheduler, per_group

if TYPE_CHECKING:
    from wengert_optim.optimizer import Optimizer


class MomentumScheduler(LRScheduler):
    """Base of the schedulers that change momentum, unless ``cycle_momentum`` is False."""

    cycle_momentum: bool
    use_beta1: bool

    def _init_momentum(self, optimizer: Optimizer, base: Any, maximum: Any, last_epoch: int) -> tuple[Any, Any]:
        """Return the lowest and the highest momentum of each group; a schedule begins with the highest.

        Raises ValueError if the optimizer has no momentum.
        """
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled: "
                f"{type(optimizer).__name__} has neither, so pass cycle_momentum=False"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        lowest = per_group("base_momentum", optimizer, base)
        highest = per_group("max_momentum", optimizer, maximum)
        if last_epoch == -1:
            for group, low, high in zip(optimizer.param_groups, lowest, highest, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return lowest, highest

    def _set_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum
