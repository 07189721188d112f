"""Copies between pinned memory of the host and the simulated device that the host has not waited for.

A copy from pinned memory has read what was there when it was queued only if nobody writes there until it is done. One
to pinned memory arrives when the host waits: until then the memory holds FREED, which is what reads see that come too
early, and a write of the host's is found when the copy arrives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wengert_testing.sim.order import WORLD, Stamp
from wengert_testing.sim.storage import FREED


class Landing:
    """A copy on its way: the work on the device, and the host's memory."""

    def __init__(self, stamp: Stamp, host: Any) -> None:
        self.stamp, self.host = stamp, host  # the memory stays alive as long as the copy is on its way

    def settle(self) -> None:
        """The host, or other work, has waited for it."""
        raise NotImplementedError


class Upload(Landing):
    """From pinned memory."""

    def __init__(self, stamp: Stamp, host: Any) -> None:
        super().__init__(stamp, host)
        self.before = host.tobytes()

    def settle(self) -> None:
        if self.host.tobytes() != self.before:
            WORLD.report(f"pinned memory was written to while a copy on {self.stamp.stream} read it")


class Download(Landing):
    """To pinned memory."""

    def __init__(self, stamp: Stamp, host: Any, data: Any) -> None:
        super().__init__(stamp, host)
        self.data = data
        bytes_of(host).fill(FREED)

    def settle(self) -> None:
        untouched = bool((bytes_of(self.host) == FREED).all())
        self.host[...] = self.data
        if not untouched:
            WORLD.report(f"pinned memory was written to while a copy on {self.stamp.stream} wrote it")


def bytes_of(array: Any) -> Any:
    """A contiguous array as bytes, on the same memory."""
    return array.reshape(-1).view(np.uint8)


def settle_before(host: Any, stream: Any, streams: Iterable[Any]) -> None:
    """A copy on a stream is about to use the host's memory: what is on its way from and to there must come before."""
    for other in streams:
        for one in [one for one in other.landing if np.may_share_memory(one.host, host)]:
            if not one.stamp.is_known_to(stream.clock):
                WORLD.report(f"a copy on {stream} uses pinned memory that {one.stamp.what} on {other} uses; the first "
                             "does not wait for the second")  # fmt: skip
            other.landing.remove(one)
            one.settle()
