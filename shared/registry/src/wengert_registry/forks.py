"""Locks that no other thread holds while a process forks.

Note [Locks and fork]
    The child of a fork has one thread, the one that forked. What another thread held then stays held in it for ever,
    and what that thread was about to make is half made. So a fork takes all of these locks first, all or none, so that
    it cannot wait in a circle with threads that hold some, and waits until no other thread imports a module: Python's
    own locks of modules have no way back in a child. After PATIENCE seconds it forks as things are, since a thread may
    hold a lock and wait for the one that forks; in that child the locks are free.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock, get_ident  # threading and weakref cost a millisecond more
from _weakref import ref
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

PATIENCE = 1.0
IMPORTER = "<frozen importlib._bootstrap>"

LOCKS: set[ref[RLock]] = set()
HELD: dict[int, list[RLock]] = {}
"""By thread that forks: what it holds."""


def fork_lock() -> RLock:
    """A new reentrant lock that other threads do not hold while this process forks.

    >>> lock = fork_lock()
    >>> with lock, lock:
    ...     pass
    """
    lock = RLock()
    LOCKS.add(ref(lock, LOCKS.discard))
    return lock


def all_locks() -> list[RLock]:
    """The locks that are in use."""
    return [lock for one in list(LOCKS) if (lock := one()) is not None]


def take_all() -> bool:
    """Take every lock; none, if another thread holds one or imports something. Returns whether that was possible."""
    held: list[RLock] = []
    free = True
    for lock in all_locks():
        free = lock.acquire(blocking=False)
        if not free:
            break
        held.append(lock)
    if free and not others_import():
        HELD[get_ident()] = held
        return True
    for lock in held:
        lock.release()
    return False


def others_import() -> bool:
    """Whether another thread is in an import."""
    frames = sys._current_frames()
    del frames[get_ident()]  # a frame that refers to itself would keep its callers' variables
    return any(map(imports, frames.values()))


def imports(frame: FrameType | None) -> bool:
    """Whether a thread that is in this frame is in an import."""
    while frame is not None and frame.f_code.co_filename != IMPORTER:
        frame = frame.f_back
    return frame is not None


def wait_for_others() -> None:
    """Take every lock as soon as that is possible, but not later than PATIENCE allows."""
    end = monotonic() + PATIENCE
    while not take_all() and monotonic() < end:
        sleep(0.0005)


def release_all() -> None:
    """Give the locks back."""
    for lock in HELD.pop(get_ident(), ()):
        lock.release()


def free_in_child() -> None:
    """Give the locks back in the child of a fork; those of threads that it does not have are free too."""
    release_all()
    HELD.clear()
    for lock in all_locks():
        if not lock._is_owned():  # type: ignore[attr-defined]
            lock._at_fork_reinit()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=wait_for_others, after_in_parent=release_all, after_in_child=free_in_child)
