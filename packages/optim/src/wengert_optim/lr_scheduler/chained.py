"""SequentialLR and ChainedScheduler: several schedulers for one optimizer, one after the other or all at once."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from wengert_optim.lr_scheduler.base import LRScheduler, group_values, set_group_value
from wengert_optim.lr_scheduler.plateau import ReduceLROnPlateau

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wengert_optim.optimizer import Optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


class SchedulerGroup(LRScheduler):
    """Base of the schedulers that step others, ``_schedulers``."""

    _schedulers: Sequence[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer, as a dict, with the ``state_dict`` of each scheduler."""
        state = super().state_dict()
        del state["_schedulers"]
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the attributes that ``state_dict`` returned, and load the state of each scheduler."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)

    def _check_schedulers(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> None:
        """Raise TypeError or ValueError if one of the schedulers cannot be stepped without arguments together with the
        others.
        """
        name = type(self).__name__
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    f"{name} at index {index} should have `optimizer` as its attribute, got {type(scheduler).__name__}"
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {index} in the given schedulers sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {index} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )


class SequentialLR(SchedulerGroup):
    """Follow one scheduler after the other, the next one from a milestone on, which begins there with its step 0.

    optimizer: the optimizer whose learning rates are changed.   schedulers: schedulers of this optimizer.
    milestones: the indices of the steps at which the next scheduler takes over, one fewer than schedulers.
    last_epoch: the index of the last step; -1 begins.

    >>> import wengert as wg
    >>> from wengert.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> warmup, decay = ConstantLR(optimizer, factor=0.25), ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = SequentialLR(optimizer, [warmup, decay], milestones=[2])
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.25]
    [0.25]
    [1.0]
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_schedulers(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch: int = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_group_value(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Set the learning rates of the next step. Call it after ``optimizer.step()``."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the step that the schedulers took when they were made, those inside of others too."""
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for inner in scheduler._schedulers:
                self.recursive_undo(inner)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1


class ChainedScheduler(SchedulerGroup):
    """Step several schedulers together; each changes the learning rate that the one before has set.

    schedulers: schedulers of one optimizer.   optimizer: that optimizer; None takes it from the first scheduler.

    >>> import wengert as wg
    >>> from wengert.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> warmup, decay = ConstantLR(optimizer, factor=0.25, total_iters=2), ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = ChainedScheduler([warmup, decay])
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.25]
    [0.125]
    [0.25]
    [0.125]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_schedulers(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = group_values(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Step every scheduler. Call it after ``optimizer.step()``."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = group_values(self.optimizer, "lr")
