"""Collectives under way in MPI: how a rank waits for one, and the thread that lets it progress meanwhile.

Note [Waiting]
    MPI moves memory between the ranks of a machine inside the calls of both, so that a rank that sleeps holds up the
    others. While nobody waits, a thread waits in its place where the machine has two cores for each rank; where it has
    not, that thread would take the core from the rank that computes, several times as long as the collective needs, so
    a collective progresses when it is tested. A wait tests in a loop while all ranks are in the collective; it gives
    the core to others between tests (sched_yield), more often where there are more ranks than cores. It sleeps while
    another rank has not begun the collective, with pauses that are a small part of the time waited. Every few
    milliseconds it looks whether a rank has failed.

Note [Tests in a row]
    MPICH moves a piece of a message in each test, so what a rank does between two of them delays it. Where each rank
    has a core, a wait therefore tests many times before it looks at the clock: as often as a collective of some
    hundred KiB needs at first, and for some 10 us at a time after that. A loop of tests takes no longer than MPI's own
    blocking call, and can be given up.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert_distributed.interface.process_group import Call, Request

if TYPE_CHECKING:
    from wengert_distributed.backends.mpi.group import MpiGroup

FIRST_LOOK, LOOK = 1e-3, 5e-3  # seconds until a wait looks where the others are, and between two looks
TURNS = 16  # looks at the clock between two yields where each rank has a core
YIELD = 1e-3  # seconds in which a wait does not sleep although it does not know whether the others have begun
LATENESS = 0.05  # the part of the time waited that a pause may add
SHORTEST_PAUSE, LONGEST_PAUSE = 5e-5, 1e-3
GRACE = 0.1  # seconds in which a message of a rank that has ended may still arrive
ABANDONED: dict[int, Any] = {}  # requests that did not end, by id: they hold the memory that MPI may still write


class MpiRequest(Request):
    """A collective, a send, or a receive on one rank. ``sequence`` is 0 for sends and receives."""

    __slots__ = ("call", "ended", "error", "group", "in_background", "other", "poll", "raw", "sequence")

    def __init__(self, group: MpiGroup, raw: Any, sequence: int, other: int | None = -1) -> None:
        self.group, self.raw, self.sequence, self.other = group, raw, sequence, other
        self.poll: Callable[[], bool] = raw.Test
        self.call: Call | None = group.call
        self.ended = self.in_background = False
        self.error: Exception | None = None

    def test(self) -> bool:
        """Return whether it has ended. Raises what MPI raised."""
        if not self.in_background and not self.ended:
            self.ended = self.poll()
        return self.ended and self.finish()

    def finish(self) -> bool:
        """Note the end on the board, and raise what MPI raised in the background."""
        if self.error is not None:
            raise self.error
        if self.sequence:
            self.group.board.finish(self.sequence)
        return True

    def background(self) -> None:
        """Let it progress in a thread, where MPI allows several and a core is left for it."""
        if not self.ended and not self.poll_once() and self.group.threads and self.group.monitor.has_spare_cores:
            self.in_background = True
            progress().add(self)

    def poll_once(self) -> bool:
        """Test once, and hold what MPI raises for whoever waits."""
        try:
            self.ended = self.poll()
        except Exception as error:
            self.ended, self.error = True, error
        return self.ended

    def has_ended_inside(self) -> bool:
        """Wait a while for the thread that waits for it inside MPI; return whether it has ended."""
        return self.ended or progress().join(self, LOOK)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended. See Note [Waiting]."""
        spins = self.group.monitor.spins
        if self.in_background:
            self.in_background = False
            if not progress().remove(self):
                self.poll, spins = self.has_ended_inside, range(1)
        if not self.ended:
            poll = self.poll
            for _ in spins:
                if poll():
                    break
            else:
                ABANDONED[id(self.raw)] = self.raw
                if not self.wait_longer(seconds):
                    return False
                del ABANDONED[id(self.raw)]
                self.group.monitor.clear_text(self)
            self.ended = True
        return self.finish()

    def wait_longer(self, seconds: float | None) -> bool:
        """Wait with looks at the other ranks; False after the time, or where a rank that is needed has ended."""
        start = time.perf_counter()
        look, together, lost = start + FIRST_LOOK, False, 0.0
        monitor, turn, tests = self.group.monitor, 0, range(1)
        while not self.ends_within(tests):
            now = time.perf_counter()
            if seconds is not None and now - start > seconds:
                return False
            if now >= look:
                look = now + LOOK
                if not monitor.is_lost(self):
                    lost = 0.0
                elif not lost:
                    lost = now
                elif now - lost > GRACE:
                    return False
            if not together and monitor.all_have_begun(self):
                together, tests = True, monitor.tests
            turn += 1
            if together and monitor.has_cores and turn % TURNS:
                continue
            if together or now - start < YIELD:
                os.sched_yield()
            else:
                time.sleep(min(max(LATENESS * (now - start), SHORTEST_PAUSE), LONGEST_PAUSE))
        return True

    def ends_within(self, tests: range) -> bool:
        """Test some times; return whether it has ended. Note [Tests in a row]"""
        poll = self.poll
        for _ in tests:  # noqa: SIM110  a generator takes as long as a test
            if poll():
                return True
        return False


class MpiReceive(MpiRequest):
    """A receive; ``source`` is the sender's rank afterwards."""

    __slots__ = ("status",)

    def __init__(self, group: MpiGroup, raw: Any, status: Any, other: int | None) -> None:
        super().__init__(group, raw, 0, other)
        self.status = status
        self.poll = functools.partial(raw.Test, status)

    @property
    def source(self) -> int:
        """The rank that sent."""
        return int(self.status.Get_source())


class Progress:
    """A thread that waits for requests while nobody else does.

    It waits inside MPI, where it needs no lock of Python's, as soon as all ranks have begun a collective; before that,
    and for sends, receives and ranks of other machines, it tests with pauses.
    """

    def __init__(self) -> None:
        self.lock, self.wake = threading.Lock(), threading.Event()
        self.changed = threading.Condition(self.lock)  # a wait inside MPI has ended
        self.requests: list[MpiRequest] = []
        self.waiting: MpiRequest | None = None  # the request that the thread waits for inside MPI
        self.thread: threading.Thread | None = None
        self.stopped = False

    def add(self, request: MpiRequest) -> None:
        """Take over a request."""
        with self.lock:
            self.requests.append(request)
            if self.thread is None and not self.stopped:
                self.thread = threading.Thread(target=self.run, name="wengert-mpi-progress", daemon=True)
                self.thread.start()
        if not self.wake.is_set():
            self.wake.set()

    def remove(self, request: MpiRequest) -> bool:
        """Hand a request back to a thread that waits for it; False where this thread is waiting for it inside MPI."""
        with self.lock:
            if request is self.waiting:
                return False
            if request in self.requests:
                self.requests.remove(request)
            return True

    def join(self, request: MpiRequest, seconds: float) -> bool:
        """Wait some seconds for a request that the thread waits for; return whether it has ended."""
        with self.lock:
            return self.changed.wait_for(lambda: request.ended, seconds)

    def stop(self) -> None:
        """End the thread, before MPI is finalized."""
        self.stopped = True
        self.wake.set()
        if self.thread is not None:
            self.thread.join(1.0)

    def run(self) -> None:
        """Wait for one request after the other; test them with pauses while other ranks are behind."""
        pause = SHORTEST_PAUSE
        while not self.stopped:
            if not self.requests:
                self.wake.wait()
                self.wake.clear()
                pause = SHORTEST_PAUSE
            elif self.wait_inside() or self.test_all():
                pause = SHORTEST_PAUSE
            else:
                time.sleep(pause)
                pause = min(1.5 * pause, LONGEST_PAUSE)

    def wait_inside(self) -> bool:
        """Wait for the oldest request whose ranks are all in it; return whether there was one."""
        with self.lock:
            first = self.requests[0] if self.requests else None
            if first is None or first.group.monitor.remote or not first.group.monitor.all_have_begun(first):
                return False
            self.waiting = first
        try:
            first.raw.Wait()
        except Exception as error:
            first.error = error
        with self.lock:
            first.ended, self.waiting = True, None
            self.requests.remove(first)
            self.changed.notify_all()
        return True

    def test_all(self) -> bool:
        """Test all requests once; return whether one has ended."""
        with self.lock:
            before = len(self.requests)
            self.requests = [request for request in self.requests if not request.poll_once()]
            return len(self.requests) < before


@functools.cache
def progress() -> Progress:
    """Return the process' thread of progress."""
    return Progress()
