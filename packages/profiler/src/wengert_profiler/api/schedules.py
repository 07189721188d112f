"""Schedules of profiles: which steps of a program are recorded."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from wengert_core.extend import warn_user


class ProfilerAction(Enum):
    """An action of a profile in a step. WARMUP records nothing here: it is there for programs written for PyTorch."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a function from the number of a step to its action, for ``profile(schedule=...)``.

    After ``skip_first`` steps come cycles of ``wait`` steps without a profile, ``warmup`` steps, and ``active`` steps
    that are recorded, the last of which ends a window. repeat: how many cycles; 0: until the end.
    skip_first_wait: not 0: the first cycle has no ``wait``.
    AssertionError for negative numbers, and for no active step. A warning where there is no warmup, as in PyTorch.

    >>> from wengert.profiler import schedule
    >>> actions = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [actions(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn_user("Profiler won't be using warmup, this can skew profiler results")

    def action_of(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        length = wait + warmup + active
        cycle, step = divmod(step, length)
        if (repeat and cycle >= repeat) or step < wait:
            return ProfilerAction.NONE
        if step < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action_of
