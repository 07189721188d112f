"""Graphs of the simulated device: work that is noted on a stream, and done by each replay.

Note [What a capture sees]
    As with CUDA, captured work is not done before its graph is replayed: memory that it writes keeps what it had, and
    what the host reads, waits for or copies without pinned memory is an error. To know shapes, the work is done on the
    side: what a piece of memory had is kept ahead of the first write, and put back when the capture ends.
    A graph owns neither the memory of its arguments, which is an error in a replay when it is gone, nor that of its
    results: both are used by their place. Memory that is allocated meanwhile is the pool's, which gives what was freed
    to the next that asks for as much, in later captures with this pool, too.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

import numpy as np
from wengert_core.devices.plugin import CaptureError

from wengert_testing.sim.order import Block, RaceError, SimStream

MODES = ("global", "thread_local", "relaxed")
BY_VALUE = {
    "nonzero", "flatnonzero", "argwhere", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values",
    "extract", "compress", "trim_zeros", "bincount", "array_equal", "allclose", "histogram", "ndarray.nonzero",
    "ndarray.compress",
}  # fmt: skip
"""Functions whose results have a shape, or are numbers of the host, that depend on elements."""


def refusal(what: str) -> CaptureError:
    """The error for a call that a capture does not permit."""
    return CaptureError(f"sim error: operation not permitted when stream is capturing: {what}")


def require_no_capture(streams: list[SimStream], what: str) -> None:
    """CaptureError where work on one of the streams is noted."""
    if any(stream.capture is not None for stream in streams):
        raise refusal(what)


def root_of(data: Any) -> Any:
    """The array that owns the memory of another one."""
    while isinstance(data.base, np.ndarray):
        data = data.base
    return data


class GraphPool:
    """Memory for graphs: freed pieces by size."""

    def __init__(self) -> None:
        self.free: dict[tuple[int, int], list[tuple[Any, int, Block]]] = {}  # by device and bytes

    def give(self, index: int, nbytes: int, piece: tuple[Any, int, Block]) -> None:
        """A piece of memory is free again."""
        self.free.setdefault((index, nbytes), []).append(piece)

    def take(self, index: int, nbytes: int) -> tuple[Any, int, Block] | None:
        """A piece of memory of that size; None: there is none."""
        pieces = self.free.get((index, nbytes))
        return pieces.pop() if pieces else None


class Node:
    """A piece of work: what it is called, the memory that it reads and writes, and a function that does it."""

    def __init__(self, what: str, reads: list[Block], writes: list[Block], work: Callable[[], None]) -> None:
        self.what, self.reads, self.writes, self.work = what, reads, writes, work

    def run(self, stream: SimStream) -> None:
        """Queue the work."""
        for block in (*self.reads, *self.writes):
            if block.freed:
                raise RaceError(f"a replay: {self.what} uses memory that was freed since the capture")
        stamp = stream.launch(self.what)
        for block in self.reads:
            block.read_by(stamp)
        for block in self.writes:
            block.write_by(stamp)
        self.work()


class Capture:
    """Work that is being noted on a stream, and on those that wait for it."""

    def __init__(self, stream: SimStream, pool: GraphPool, mode: str) -> None:
        self.stream, self.pool, self.mode, self.thread = stream, pool, mode, get_ident()
        self.streams = [stream]
        self.nodes: list[Node] = []
        self.uploads: list[tuple[Any, Callable[[], Any]]] = []
        self.before: dict[int, tuple[Any, Any]] = {}  # owners of memory that was written to, and what they had
        self.blocks: dict[int, Block] = {}
        stream.capture = self

    def join(self, stream: SimStream) -> None:
        """A stream waits for captured work: what is queued there is noted, too."""
        if stream.is_default:
            raise refusal("the default stream would wait for captured work")
        if stream.capture is None:
            self.streams.append(stream)
            stream.capture = self

    def keep(self, data: Any, block: Block) -> None:
        """Remember what memory has, ahead of a write."""
        owner = root_of(data)
        if id(owner) not in self.before:
            self.before[id(owner)] = owner, owner.copy(order="K")
        block.capture = self
        self.blocks[id(block)] = block

    def add(self, what: str, reads: list[Any], writes: list[Any], work: Callable[[], None]) -> None:
        """Note work on arrays, and do it on the side."""
        for array in writes:
            self.keep(array._data, array._block)
        work()
        self.nodes.append(Node(what, [one._block for one in reads], [one._block for one in writes], work))

    def finish(self) -> SimGraph:
        """Stop: memory is as it was. RuntimeError where a stream that has joined was not waited for."""
        for owner, contents in self.before.values():
            owner[...] = contents
        for block in self.blocks.values():
            block.capture = None
        clock = self.stream.clock
        loose = [one for one in self.streams if clock.get(one.number, 0) < one.ticks]
        for stream in self.streams:
            stream.capture = None
        if loose:
            raise RuntimeError(f"sim error: unjoined work in a capture: {self.stream} does not wait for {loose[0]}")
        return SimGraph(self)


class SimGraph:
    """Captured work."""

    def __init__(self, capture: Capture) -> None:
        self.plugin, self.index = capture.stream.plugin, capture.stream.index
        self.nodes, self.uploads, self.pool = capture.nodes, capture.uploads, capture.pool

    def owns(self, memory: Any) -> bool:
        """Whether memory was allocated in the capture."""
        return getattr(memory, "graph_pool", None) is self.pool

    def replay(self) -> None:
        """Queue the work on the current stream."""
        stream = self.plugin.current_stream(self.index)
        require_no_capture([stream], "a replay of a graph")
        for array, make in self.uploads:
            array._block.write_by(stream.launch("numbers for a graph"))
            array._data[...] = make()
        for node in self.nodes:
            node.run(stream)

    def to_dot(self) -> str:
        """The work in the order of a replay, in Graphviz's language."""
        lines = [f'  n{k} [label="{node.what}"]' for k, node in enumerate(self.nodes)]
        lines += [f"  n{k} -> n{k + 1}" for k in range(len(self.nodes) - 1)]
        return "\n".join(["digraph {", *lines, "}"])
