"""Segments: the graphs of a function whose numbers Python reads on the way.

Note [Numbers that are read on a device]
    Where Python reads a number of the device, the capture ends: what was noted is a graph, and runs at once, the number
    is read, and the next graph begins. So a recording is the call itself. A copy of the number is part of the graph.
    A replay runs graph by graph, and compares each number with the recorded one, by its bits. Where one differs, memory
    outside and generators are put back as they were before the call, and another recording that has read the same
    numbers up to there runs from the start; where there is none, the function does, as the recording of one.
    Recordings share nothing: what one has in memory, another has elsewhere. So there is no branch to go on with, and a
    call that takes another way than the one before does the work up to the number twice, on the device.
    Numbers that the reference of an operation reads by itself are not seen, and are an error of the capture.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from math import prod
from typing import Any
from weakref import ref

import numpy as np
from wengert_core.extend import CaptureError, Tensor, device_plugin

from wengert_replay.devices.calls import States, has_drawn, random_states, set_states
from wengert_replay.devices.listing import number_words
from wengert_replay.devices.watch import DeviceWatch

Numbers = tuple[bytes, ...]
"""Values that were read, one after the other."""
Extent = tuple[Any, int, int]
"""Memory, the first address that is used, and the end."""


class MemoryCopies:
    """Contents of memory, and the states of generators, at one time."""

    plugin: Any
    index: int
    states: States

    def __init__(self, plugin: Any, index: int, states: States) -> None:
        self.plugin, self.index, self.states = plugin, index, states
        self.copies: dict[int, tuple[Extent, Any]] = {}

    def add(self, extents: Iterable[Extent]) -> None:
        """Copy memory that is not there yet."""
        for memory, low, high in extents:
            if id(memory) not in self.copies and high > low:
                copy = self.plugin.allocate(high - low, self.index)
                self.copies[id(memory)] = (memory, low, high), copy
                self.assign((copy, 0), (memory, low - memory.address), high - low)

    def put_back(self) -> None:
        """Let everything be as it was."""
        for (memory, low, high), copy in self.copies.values():
            self.assign((memory, low - memory.address), (copy, 0), high - low)
        set_states(self.states)

    def assign(self, target: tuple[Any, int], source: tuple[Any, int], nbytes: int) -> None:
        token = self.plugin.enter(self.index)
        try:
            arrays = [self.plugin.array(*one, (nbytes,), (1,), np.dtype(np.uint8)) for one in (target, source)]
            self.plugin.assign(*arrays)
        finally:
            self.plugin.leave(token)


class Segments:
    """The work of a function, in several graphs where numbers are read. Note [Numbers that are read on a device]"""

    plugin: Any
    index: int

    def __init__(self, plugin: Any, index: int) -> None:
        self.plugin, self.index = plugin, index
        self.graphs: list[Any] = []
        self.copies: list[Any] = []  # of the numbers, on the device
        self.numbers: list[bytes] = []
        self.words: list[str] = []  # the same, as they are printed
        self.written: list[tuple[Any, int, int]] = []  # outside, ahead of the last number; weak references to memory
        self.draws: bool = False  # random numbers, ahead of the last number that is read

    def owns(self, memory: Any) -> bool:
        """Whether memory was allocated for one of the graphs."""
        return any(one.owns(memory) for one in self.graphs)

    def replay(self, generators: list[Any]) -> Numbers | None:
        """Do the work. Return None; or numbers that were read, the last of which differs: nothing has changed then."""
        if not self.numbers:
            self.graphs[0].replay()
            return None
        before = MemoryCopies(self.plugin, self.index, random_states(generators) if self.draws else [])
        before.add((memory, low, high) for one, low, high in self.written if (memory := one()) is not None)
        try:
            for graph, copy, number in zip(self.graphs, self.copies, self.numbers, strict=False):
                graph.replay()
                seen: bytes = self.plugin.download(copy).tobytes()
                if seen != number:
                    before.put_back()
                    return (*self.numbers[: self.graphs.index(graph)], seen)
            self.graphs[-1].replay()
        except BaseException:
            before.put_back()
            raise
        return None


class SegmentRecorder:
    """A capture of a function's work, which ends and goes on where numbers are read."""

    plugin: Any
    index: int
    stream: Any
    watch: DeviceWatch
    can_read: bool

    def __init__(self, stream: Any, watch: DeviceWatch, pool: Any, can_read: bool) -> None:
        """pool: whose memory the graphs may use; None: one of their own.   can_read: without that, one graph."""
        self.plugin, self.index = device_plugin(stream.device.type), int(stream.device.index or 0)
        self.stream, self.watch, self.can_read = stream, watch, can_read
        self.pool: Any = self.plugin.make_graph_pool() if pool is None else pool
        self.segments: Segments = Segments(self.plugin, self.index)
        self.before: MemoryCopies = MemoryCopies(self.plugin, self.index, [])
        self.states: States = []  # ahead of the graph that is noted
        self.calls_before: int = 0  # calls of Python functions ahead of the first number
        self.is_open: bool = False
        self.is_denied: bool = False  # something was not given, or drawn elsewhere: the run is no usual one
        self.errors: int = CaptureError.count()

    def begin(self) -> None:
        """Note work."""
        self.states = random_states(self.watch.generators)
        if not self.segments.graphs:
            self.before.states = [*self.states]
        self.plugin.begin_capture(self.index, self.pool, "thread_local")
        self.is_open = True

    def end(self) -> None:
        """End the graph that is noted, if one is."""
        if self.is_open:
            self.is_open = False
            self.states = self.with_new(self.states)
            if has_drawn(self.states):  # the capture itself draws nothing
                self.deny("random numbers of the host are drawn, or a generator is set")
            self.segments.graphs.append(self.plugin.end_capture(self.index))

    def read(self, tensor: Tensor, array: Any) -> Any:
        """Return the numbers of an array of a device, as an array of NumPy. tensor: whose elements they are."""
        if tensor.device != self.stream.device:
            self.watch.give_up(f"numbers of a tensor of another device ({tensor.device}) are read")
            return device_plugin(tensor.device.type).download(array)
        if not self.can_read or not self.is_open or self.plugin.current_stream(self.index) != self.stream:
            self.deny("numbers are read where the capture cannot end")
            raise CaptureError("operation not permitted when stream is capturing: to read elements")
        if not self.segments.numbers:
            self.calls_before = len(self.watch.calls)
        self.watch.note_read(tensor)
        token = self.plugin.enter(self.index)
        try:
            copy = self.copy_of(array)
            self.end()
            self.run_last()
            numbers = self.plugin.download(copy)
            self.begin()
        except BaseException:
            self.deny("numbers could not be read")
            raise
        finally:
            self.plugin.leave(token)
        self.watch.note_numbers(numbers.tobytes())
        words = number_words(numbers)
        self.watch.list_guard(tensor, words)
        self.segments.words.append(words)
        self.segments.numbers.append(numbers.tobytes())
        self.segments.copies.append(copy)
        return numbers

    def deny(self, why: str) -> None:
        """Note why the run is not what a usual call does."""
        self.is_denied = True
        self.watch.give_up(why)

    def copy_of(self, array: Any) -> Any:
        """Note a copy of an array to memory that nothing else uses; return it."""
        dtype, shape = array.dtype, tuple(array.shape)
        strides = tuple([dtype.itemsize * prod(shape[d + 1 :]) for d in range(len(shape))])
        memory = self.plugin.allocate(dtype.itemsize * prod(shape), self.index)
        copy = self.plugin.array(memory, 0, shape, strides, dtype)
        self.plugin.assign(copy, array)
        return copy

    def run_last(self) -> None:
        """Run the graph that has ended last; what it writes outside, and draws, can be put back."""
        before = self.before
        before.states = self.with_new(before.states)
        alive = [memory for one in self.watch.written.values() if (memory := one()) is not None]
        before.add((one, *self.watch.extents[id(one)]) for one in alive if not self.segments.owns(one))
        self.segments.graphs[-1].replay()

    def with_new(self, states: States) -> States:
        """Return states of generators, and of those that were seen since, as they were then."""
        known = [one for one, _ in states]
        return states + [row for row in self.watch.states if row[0] not in known]

    def undo(self) -> None:
        """Let memory outside, and generators, be as before the recording."""
        self.before.states = self.with_new(self.before.states)
        self.before.put_back()

    @contextmanager
    def as_before(self) -> Generator[None, None, None]:
        """Memory outside, and generators, as before the recording; afterwards as now."""
        now = MemoryCopies(self.plugin, self.index, random_states(self.watch.generators))
        now.add(extent for extent, _ in self.before.copies.values())
        self.undo()
        try:
            yield
        finally:
            now.put_back()

    def close(self) -> None:
        """End the last graph."""
        self.end()
        if CaptureError.count() != self.errors:
            self.deny("the function catches an error of the capture")

    def finish(self, is_of_no_use: bool = False) -> None:
        """Note what replays have to put back; nothing is put back any more. is_of_no_use: what was computed."""
        copies = self.before.copies.values()
        self.segments.written = [(ref(memory), low, high) for (memory, low, high), _ in copies]
        self.segments.draws = has_drawn(self.before.states)
        if is_of_no_use:
            self.undo()
        self.before = MemoryCopies(self.plugin, self.index, [])
