"""Collectives under way on a GPU, and the thread that looks after them.

Note [Streams of NCCL]
    Collectives run on a stream of the group's own, which first waits for what the current stream has queued; waiting
    for one lets the current stream wait, not the host, so that kernels and collectives overlap. An array in use is
    held until its collective has ended, because CuPy would reuse its memory on the current stream. A thread looks
    after collectives that do not end: it aborts the communicator after the group's timeout, which frees the GPU, and
    the next call raises. WENGERT_NCCL_BLOCKING_WAIT=1 makes the host wait instead, and raise there.
"""

from __future__ import annotations

import time
import weakref
from typing import TYPE_CHECKING, Any

from wengert_distributed.interface.process_group import Request

if TYPE_CHECKING:
    from wengert_distributed.backends.nccl import NcclGroup

LOOK = 0.2  # seconds between two looks of the watching thread
PATIENCE = 1.0  # seconds in which a collective may still end after a rank has failed
LONGEST_PAUSE = 1e-3  # seconds between two looks of a waiting host


class NcclRequest(Request):
    """A collective on the group's stream; ``event`` happens when it has ended."""

    __slots__ = ("arrays", "event", "group", "host", "source", "start")

    def __init__(self, group: NcclGroup, arrays: tuple[Any, ...], host: bool, source: int) -> None:
        self.group, self.arrays, self.host, self.source = group, arrays, host, source
        self.event = group.cuda.Event(disable_timing=True)
        self.start = time.monotonic()

    def test(self) -> bool:
        """Return whether it has ended. Raises DistBackendError where the group has failed."""
        self.group.check()
        return bool(self.event.done)

    def wait(self, seconds: float | None = None) -> bool:
        """Let the current stream wait for it; the host too, for a barrier and where the environment asks for it."""
        if self.host or self.group.blocking:
            end = None if seconds is None else time.monotonic() + seconds
            pause = 1e-5
            while not self.test():
                if end is not None and time.monotonic() > end:
                    return False
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            return True
        self.group.check()
        with self.group.cuda.Device(self.group.device):
            self.group.cuda.get_current_stream().wait_event(self.event)
        return True


def watch(reference: weakref.ref[NcclGroup]) -> None:
    """Abort a group's communicator when a collective exceeds the timeout, a rank fails, or NCCL reports an error."""
    while (group := reference()) is not None and not group.failure:
        try:
            group.communicator.check_async_error()
            reason = look(group)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        if reason and not group.failure:
            group.abort(reason)
        del group
        time.sleep(LOOK)


def look(group: NcclGroup) -> str:
    """Return the reason to abort a group's communicator, "" where there is none."""
    try:
        oldest = group.pending[0]
    except IndexError:
        return ""
    if oldest.event.done:
        return ""
    waiting = time.monotonic() - oldest.start
    if waiting > group.seconds:
        return f"a collective has not ended within {group.seconds:g} s"
    if waiting > PATIENCE and group.control is not None and group.control.monitor.any_ended():
        return "another rank has ended"
    return ""
