"""LRScheduler, the base of all schedulers, and the learning rates of an optimizer's groups as lists.

Note [Schedulers in a captured function]
    ``step`` changes numbers of Python alone, which a replay of ``wengert.capture`` would not do. So each replay calls
    it, in its place among the operations (``compiler.disable``), whichever class it is of. A function that reads or
    sets one of CHANGED_NAMES around that runs as usual: a replay would do so with the numbers of the recording.
"""

from __future__ import annotations

import functools
import warnings
from inspect import isfunction
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import ref

import wengert
from wengert import Tensor

from wengert_optim.lr_scheduler.step_order import detect_first_step, warn_caller, warn_of_order
from wengert_optim.optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    Step = TypeVar("Step", bound=Callable[..., None])

__all__ = ["LRScheduler", "_LRScheduler"]

EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. If epoch is different from None, the closed form is used instead of the "
    "new chainable form, where available."
)


CHANGED_NAMES = ("lr", "momentum", "betas", "_last_lr")
"""Options and attributes that schedulers change, and read."""


def note_names(advance: Any, scheduler: Any) -> None:
    """Let a function that steps a scheduler say under which names it changes something, and under which it reads."""
    advance.changed_names = CHANGED_NAMES
    advance.read_names = (*CHANGED_NAMES, *vars(scheduler))


def call_in_replays(step: Step) -> Step:
    """Return a method ``step`` that each replay calls. Note [Schedulers in a captured function]"""

    @functools.wraps(step)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        if not wengert.compiler.is_compiling():
            return step(self, *args, **kwargs)
        scheduler = ref(self)

        def advance(*args: Any, **kwargs: Any) -> None:
            found = scheduler()  # which a program does not keep alive
            return None if found is None else step(found, *args, **kwargs)

        advance.__qualname__ = f"{type(self).__qualname__}.step"
        note_names(advance, self)
        return wengert.compiler.disable(advance)(*args, **kwargs)

    return cast("Step", call)


class LRScheduler:
    """Base of the schedulers, which change the learning rate of an optimizer's groups from step to step.

    A subclass computes in ``get_lr`` the learning rates of the step ``last_epoch``, one for each group. It may have
    ``_get_closed_form_lr`` in addition, which computes them from ``base_lrs`` alone and serves ``step(epoch)``.

    optimizer: the optimizer whose ``param_groups`` are changed; the learning rate of the first step is set at once.
    last_epoch: the index of the last step of a schedule that is resumed, whose groups hold "initial_lr"; -1 begins a
        schedule and notes the present learning rates as "initial_lr".

    A learning rate that is a tensor is filled in place, and lists of rates hold copies of it.

    >>> import wengert as wg
    >>> class HalfLR(wg.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate * 0.5**self.last_epoch for rate in self.base_lrs]
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=0.5)
    >>> scheduler = HalfLR(optimizer)
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.0625]
    """

    optimizer: Optimizer
    base_lrs: list[Any]
    last_epoch: int
    _last_lr: list[Any]
    _step_count: int
    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if isfunction(vars(cls).get("step")):
            setattr(cls, "step", call_in_replays(vars(cls)["step"]))  # noqa: B010

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = check_optimizer(optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copy_value(group["lr"]))
        else:
            check_initial_lr(optimizer, last_epoch)
        self.base_lrs = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        detect_first_step(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Take the step 0 (or the next one of a resumed schedule), during which ``_is_initial`` is True."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer, as a dict. The optimizer has a ``state_dict`` of its own."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the attributes that ``state_dict`` returned. Load the optimizer's state after that."""
        vars(self).update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates that the last step set, one for each group. Tensors are copies."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the step ``last_epoch``, one for each group, for ``step`` to set."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr: a subclass of LRScheduler must have one")

    @call_in_replays
    def step(self, epoch: int | None = None) -> None:
        """Set the learning rates of the next step. Call it after ``optimizer.step()``.

        epoch: deprecated; the index of the step whose learning rates are set, by the closed form where there is one.
        """
        if self._step_count == 1:
            warn_of_order(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warn_caller(EPOCH_IS_DEPRECATED)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        """Set the learning rates of the next step, or of the step ``epoch``."""
        if epoch is None:
            self.last_epoch += 1
            self._set_rates(self.get_lr)
        else:
            self.last_epoch = epoch
            self._set_rates(getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_rates(self, compute: Callable[[], list[Any]]) -> None:
        """Set the learning rate of each group to the one that is computed, and note them for ``get_last_lr``."""
        with within_step(self):
            rates = compute()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_group_value(group, "lr", rate)
        self._last_lr = group_values(self.optimizer, "lr")


class _LRScheduler(LRScheduler):
    """LRScheduler under the name that programs for PyTorch 1 subclass."""


class within_step:
    """Let ``get_lr`` of a scheduler be called without a warning in a block."""

    def __init__(self, scheduler: LRScheduler) -> None:
        self.scheduler = scheduler

    def __enter__(self) -> Self:
        self.scheduler._get_lr_called_within_step = True
        return self

    def __exit__(self, *error: object) -> None:
        self.scheduler._get_lr_called_within_step = False


def warn_outside_step(scheduler: LRScheduler) -> None:
    """Warn whoever calls ``get_lr`` to look at the rates: only ``step`` calls it for the right ``last_epoch``."""
    if not scheduler._get_lr_called_within_step:
        warnings.warn(
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
            UserWarning,
            stacklevel=3,
        )


def check_optimizer(optimizer: Any) -> Optimizer:
    """Return the optimizer. Raises TypeError if it is none."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer: a scheduler changes the param_groups of one")
    return optimizer


def check_initial_lr(optimizer: Optimizer, last_epoch: int) -> None:
    """Raise KeyError if a group lacks the learning rate with which the schedule began."""
    for index, group in enumerate(optimizer.param_groups):
        if "initial_lr" not in group:
            raise KeyError(
                f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with "
                f"last_epoch >= 0 (last_epoch is {last_epoch}). Load the optimizer's state of the checkpoint before "
                "the scheduler is made, or leave last_epoch away to begin a schedule."
            )


def copy_value(value: Any) -> Any:
    """Return a copy of a tensor; a number as it is."""
    return value.clone() if isinstance(value, Tensor) else value


def group_values(optimizer: Optimizer, key: str) -> list[Any]:
    """Return ``group[key]`` of each group. Tensors are copied, because schedulers fill those of the groups."""
    return [copy_value(group[key]) for group in optimizer.param_groups]


def set_group_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Set ``group[key]``, which must exist; a tensor is filled, so that whoever holds it sees the value."""
    present = group[key]
    if isinstance(present, Tensor):
        present.fill_(value.squeeze() if isinstance(value, Tensor) else value)
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return one value for each group, from a list of them or from one for all. ValueError if the list has another
    length.
    """
    groups = len(optimizer.param_groups)
    values = list(value) if isinstance(value, (list, tuple)) else [value] * groups
    if len(values) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(values)} values, "
            f"param_groups has {groups}."
        )
    return [copy_value(one) for one in values]
