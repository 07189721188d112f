"""The order of ``optimizer.step()`` and ``scheduler.step()``: detect the first step, warn of the wrong order.

Note [Detection of the first step]
    A scheduler that is stepped before its optimizer skips the first learning rate, which deserves a warning, so an
    optimizer must tell whether it has been stepped. Its first scheduler puts a FirstStep in front of the method
    ``step`` of this one optimizer. Called for the first time, that notes the call in ``_opt_called`` and removes
    itself: later steps cost nothing. It refers to the optimizer weakly, so no cycle keeps the optimizer alive, and
    optimizers pickle and copy their state and their groups alone, so it is in nobody's way. A ``step`` that a user has
    put on the optimizer beforehand is called by the FirstStep, which then stays.
"""

from __future__ import annotations

import sys
import warnings
from functools import update_wrapper
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from wengert_optim.optimizer import Optimizer

MARK = "_wrapped_by_lr_sched"
"""The attribute of a FirstStep; ``functools.wraps`` hands it on to what users wrap around one."""

OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    "to call `optimizer.step()` before `lr_scheduler.step()`: the scheduler cannot see whether it was called. Override "
    "it before the scheduler is made, or apply functools.wraps(optimizer.step) to the function."
)
WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order, "
    "`optimizer.step()` before `lr_scheduler.step()`: otherwise the first value of the learning rate schedule is "
    "skipped."
)


class FirstStep:
    """The ``step`` of an optimizer until it is called. Note [Detection of the first step]"""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = ref(optimizer)
        self.replaces_method = "step" not in vars(optimizer)
        self.function: Any = type(optimizer).step if self.replaces_method else optimizer.step
        update_wrapper(self, self.function)
        setattr(self, MARK, True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        optimizer: Any = self.optimizer()
        optimizer._opt_called = True
        if not self.replaces_method:
            return self.function(*args, **kwargs)
        if vars(optimizer).get("step") is self:
            del optimizer.step
        return self.function(optimizer, *args, **kwargs)


def is_detectable(optimizer: Optimizer) -> bool:
    """Return whether the first step of the optimizer has been noted, or will be."""
    if "step" in vars(optimizer):
        return hasattr(optimizer.step, MARK)
    return has_stepped(optimizer)


def has_stepped(optimizer: Optimizer) -> bool:
    """Return whether a step has been noted."""
    return bool(getattr(optimizer, "_opt_called", False))


def detect_first_step(optimizer: Optimizer) -> None:
    """Make the optimizer note its next step. Note [Detection of the first step]"""
    if not is_detectable(optimizer):
        optimizer.step = FirstStep(optimizer)  # type: ignore[method-assign]


def warn_of_order(optimizer: Optimizer) -> None:
    """Warn the caller of ``scheduler.step()`` if the optimizer has not been stepped."""
    if not is_detectable(optimizer):
        warn_caller(OVERRIDDEN)
    elif not has_stepped(optimizer):
        warn_caller(WRONG_ORDER)


def warn_caller(message: str) -> None:
    """Warn at the innermost line outside of wengert."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("wengert_"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
