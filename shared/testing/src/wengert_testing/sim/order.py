"""Streams, events and the order of work on the simulated device.

Note [Who comes before whom]
    Each piece of work has a stamp: its stream and its number there. A stream knows of every other one up to which
    number
    its work is certain to be done before what is queued now (a vector clock): by waiting for the stream or for an
    event,
    or because the host has waited and queued later. A block of memory keeps the stamps of its last write and of the
    reads since. Work that reads what it does not know to be written, or writes what it does not know to be read, races.
    Beside that, work takes random time on a clock; with ``races("stale")`` a racing read gives the old contents
    if the write would not have been done by then.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class RaceError(RuntimeError):
    """Work on the device that is not ordered with other work on the same memory."""


@dataclass(frozen=True)
class Stamp:
    """One piece of work: number ``tick`` of its stream, from ``start`` to ``done`` on the device's clock."""

    stream: SimStream
    tick: int
    start: float
    done: float
    what: str

    def is_known_to(self, clock: dict[int, int]) -> bool:
        """Whether whoever has that clock comes behind this work."""
        return clock.get(self.stream.number, 0) >= self.tick


class World:
    """What all simulated devices share: the clocks."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.now = 0.0  # milliseconds; the host's time
        self.host: dict[int, int] = {}  # what the host has waited for, by stream
        self.streams = 0
        self.mode = "raise"
        self.slowest = 1.0  # milliseconds that work takes at most
        self.races: list[str] = []  # found where nothing could be raised, or with races("stale")

    def step(self) -> None:
        """The host does something."""
        self.now += 0.001

    def report(self, text: str) -> None:
        """A race has been found."""
        self.races.append(text)
        if self.mode == "raise":
            raise RaceError(text)


WORLD = World()


def reset(seed: int = 0) -> None:
    """Forget races that were found, and start the clock and the random delays again."""
    WORLD.random.seed(seed)
    WORLD.now, WORLD.mode, WORLD.slowest = 0.0, "raise", 1.0
    WORLD.races.clear()


@contextlib.contextmanager
def races(mode: str, slowest: float = 1.0) -> Iterator[list[str]]:
    """What a race does inside of the block: "raise", or "stale" (the device's answer). Gives the list of those
    found.
    """
    before, WORLD.mode, WORLD.slowest = (WORLD.mode, WORLD.slowest), mode, slowest
    WORLD.races.clear()
    try:
        yield WORLD.races
    finally:
        WORLD.mode, WORLD.slowest = before


def merge(clock: dict[int, int], other: dict[int, int]) -> None:
    """Let a clock know what another one does."""
    for stream, tick in tuple(other.items()):  # another thread may be at work on that clock
        if clock.get(stream, 0) < tick:
            clock[stream] = tick


class SimStream:
    """A queue of work of one device, done in order."""

    def __init__(self, plugin: Any, index: int, priority: int = 0) -> None:
        WORLD.streams += 1
        self.number, self.index, self.priority = WORLD.streams, index, priority
        self.plugin = plugin
        self.ticks = 0
        self.free_at = 0.0  # when what is queued will be done
        self.clock: dict[int, int] = {}
        self.landing: list[Any] = []  # copies that the host has not waited for: see landing.py
        self.capture: Any = None  # where what is queued is noted for a graph: see capture.py
        self.is_default = False

    def __repr__(self) -> str:
        return f"<sim stream {self.number} of {self.device}>"

    @property
    def device(self) -> Any:
        """The device whose work this is."""
        return self.plugin.device(self.index)

    def launch(self, what: str) -> Stamp:
        """Queue work."""
        WORLD.step()
        merge(self.clock, WORLD.host)
        self.ticks += 1
        self.clock[self.number] = self.ticks
        if self.capture is not None:
            return Stamp(self, self.ticks, self.free_at, self.free_at, what)
        start = max(self.free_at, WORLD.now)
        self.free_at = start + WORLD.random.uniform(0.01, WORLD.slowest)
        return Stamp(self, self.ticks, start, self.free_at, what)

    def query(self) -> bool:
        """Whether all work is done; the host may then use what it gave."""
        self.plugin.require_no_capture([self], "a question to the stream")
        WORLD.step()
        if self.free_at > WORLD.now:
            return False
        self.synchronize()
        return True

    def synchronize(self) -> None:
        """Let the host wait for all work that is queued."""
        self.plugin.require_no_capture([self], "to wait for the stream")
        self.wait_on_host(self.clock, self.free_at)

    def wait_on_host(self, clock: dict[int, int], until: float) -> None:
        """Let the host wait for what a clock knows."""
        WORLD.now = max(WORLD.now, until)
        merge(WORLD.host, clock)
        self.plugin.land(WORLD.host)

    def wait_stream(self, other: SimStream) -> None:
        """Let what is queued from now on wait for all that is queued on another stream."""
        self.wait_event(other.record_event())

    def wait_event(self, event: SimEvent) -> None:
        """Let what is queued from now on wait for an event; one that was never recorded holds nobody up."""
        WORLD.step()
        if event.capture is not None and event.capture is event.capture.stream.capture:
            event.capture.join(self)
        elif event.stream is not None:
            self.plugin.require_no_capture([self], "to wait for work that is not captured")
        merge(self.clock, event.clock)
        self.free_at = max(self.free_at, event.done)

    def record_event(self, event: SimEvent | None = None) -> SimEvent:
        """Let an event (a new one by default) happen when what is queued now is done."""
        event = SimEvent(self.plugin) if event is None else event
        event.record(self)
        return event


class SimEvent:
    """A point in a stream's queue."""

    def __init__(self, plugin: Any, timing: bool = False) -> None:
        self.plugin, self.timing = plugin, timing
        self.clock: dict[int, int] = {}
        self.done = 0.0
        self.stream: SimStream | None = None
        self.capture: Any = None  # that its stream was in

    def record(self, stream: SimStream | None = None) -> None:
        """Happen when what is queued now on a stream (the current one by default) is done."""
        WORLD.step()
        stream = self.plugin.current_stream(self.plugin.current_device()) if stream is None else stream
        merge(stream.clock, WORLD.host)
        self.clock, self.done, self.stream = dict(stream.clock), max(stream.free_at, WORLD.now), stream
        self.capture = stream.capture

    def wait(self, stream: SimStream | None = None) -> None:
        """Let a stream (the current one by default) wait for this."""
        stream = self.plugin.current_stream(self.plugin.current_device()) if stream is None else stream
        stream.wait_event(self)

    def query(self) -> bool:
        """Whether it has happened; the host may then use what came before."""
        WORLD.step()
        self.require_no_capture()
        if self.done > WORLD.now:
            return False
        self.synchronize()
        return True

    def require_no_capture(self) -> None:
        """CaptureError for an event of a stream that is capturing."""
        if self.capture is not None:
            self.plugin.require_no_capture([self.capture.stream], "to wait for a captured event")

    def synchronize(self) -> None:
        """Let the host wait for it."""
        self.require_no_capture()
        if self.stream is not None:
            self.stream.wait_on_host(self.clock, self.done)

    def elapsed_time(self, end: SimEvent) -> float:
        """Milliseconds from this event to another, on the device's clock."""
        if not (self.timing and end.timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.stream is None or end.stream is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return end.done - self.done


class Block:
    """What is known of the order of work on one piece of memory."""

    __slots__ = ("after", "before", "capture", "freed", "reads", "shared", "write")

    def __init__(self) -> None:
        self.write: Stamp | None = None
        self.reads: list[Stamp] = []
        self.before: bytes | None = None  # contents ahead of the last write, with races("stale")
        self.after: Any = None
        self.shared: set[int] = set()  # streams that it was said to be used on
        self.capture: Any = None  # that writes it
        self.freed = False  # and no part of a graph's pool

    def read_by(self, stamp: Stamp) -> bool:
        """Note a read. Whether its contents are old: only with races("stale")."""
        self.require_no_capture(stamp)
        last = self.write
        stale = False
        if last is not None and not last.is_known_to(stamp.stream.clock):
            WORLD.report(f"{stamp.what} on {stamp.stream} reads memory that {last.what} on {last.stream} writes; the "
                         "first does not wait for the second")  # fmt: skip
            stale = stamp.start < last.done
        # Of a stream's reads the last one will do: who comes behind it comes behind all before it.
        self.reads = [one for one in self.reads if one.stream is not stamp.stream and not one.is_known_to(WORLD.host)]
        self.reads.append(stamp)
        return stale

    def write_by(self, stamp: Stamp) -> None:
        """Note a write."""
        self.require_no_capture(stamp)
        clock = stamp.stream.clock
        others = [one for one in (self.write, *self.reads) if one is not None and not one.is_known_to(clock)]
        for one in others[:1]:
            WORLD.report(f"{stamp.what} on {stamp.stream} writes memory that {one.what} on {one.stream} uses; the "
                         "first does not wait for the second")  # fmt: skip
        self.write, self.reads = stamp, []

    def require_no_capture(self, stamp: Stamp) -> None:
        """Report work that is not captured, on memory that a capture writes."""
        if self.capture is not None:
            WORLD.report(f"{stamp.what} on {stamp.stream} uses memory that a capture writes")

    def users(self) -> list[Stamp]:
        """The work that uses the memory, as far as it is known."""
        return [one for one in (self.write, *self.reads) if one is not None]
