"""Facts of a program of a device, as ``explain`` and prints tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert_replay.inspection.counting import count

MOST_READ = 8
"""Numbers that are shown of those that Python reads."""


class DeviceCounts(NamedTuple):
    """Numbers of a device program's parts, and bytes."""

    operations: int
    """Operations that were recorded."""
    graphs: int
    """Graphs of the device: one more than there are guards."""
    guards: int
    """Numbers that Python read."""
    calls: int
    """Python functions that each replay calls."""
    memory_bytes: int
    """Memory for copies of arguments, and for values."""

    def words(self, numbers: Sequence[str]) -> str:
        """Return the counts in words. numbers: that Python has read."""
        parts = [count(self.operations, "operation"), count(self.graphs, "graph"), f"{self.memory_bytes:,} bytes"]
        if numbers:
            more = ", ..." if len(numbers) > MOST_READ else ""
            parts.append(f"Python reads {', '.join(numbers[:MOST_READ])}{more}")
        if self.calls:
            parts.append(f"calls {count(self.calls, 'Python function')}")
        return ", ".join(parts)


class ProgramFacts:
    """Facts of a program of a device, as ``explain`` tells them."""

    replays: int
    """Calls that were replayed."""
    order: int
    """Its number among the programs of its signature."""

    @property
    def device_program(self) -> Any:
        """The DeviceProgram that calls run."""
        raise NotImplementedError

    @property
    def steps(self) -> list[Any]:
        """The operations that were recorded, and numbers that Python read: rows of a Listing."""
        listing = self.device_program.listing
        return listing.rows if listing is not None else []

    def counts(self) -> DeviceCounts:
        """Return how much the program does, and how much memory it takes."""
        program = self.device_program
        guards = sum(one.is_guard for one in self.steps)
        graphs = len(program.graph.graphs)
        return DeviceCounts(len(self.steps) - guards, graphs, guards, len(program.calls), program.nbytes)

    def summary(self) -> str:
        """Return the program in words."""
        return f"{self.counts().words(self.device_program.graph.words)}, replayed {count(self.replays, 'time')}"

    def difference(self, earlier: ProgramFacts) -> str:
        """Return why a signature has this program beside an earlier one, in words."""
        if type(self) is not type(earlier):
            return "a result has a graph: this program has its gradients too"
        now, before = self.device_program.graph, earlier.device_program.graph
        for k, (one, other) in enumerate(zip(now.numbers, before.numbers, strict=False)):
            if one != other:
                return f"number {k} that Python reads is {now.words[k]}, not {before.words[k]}"
        if self.device_program.had_gradients() != earlier.device_program.had_gradients():
            return "other leaves from outside had a gradient before the call"
        return "a tensor from outside was replaced or has other memory, or a Python function gives something else"

    def save(self, path: Any, *, names: Any = None) -> None:
        """Raise ProgramFileError: a file holds no graph of a device."""
        from wengert_replay.exporting.errors import ProgramFileError

        raise ProgramFileError(f"a program on {self.device_program.arguments.device} cannot be saved, as its graphs "
                               "belong to this process: capture the function with arguments on the CPU, and save that "
                               "program")  # fmt: skip

    def to_dot(self, limit: int | None = 1000) -> str:
        """Raise NotImplementedError: a graph of a device is not drawn."""
        raise NotImplementedError(f"a program on {self.device_program.arguments.device} is not drawn: print(program) "
                                  "shows its operations")  # fmt: skip

    def __repr__(self) -> str:
        return f"<program on {self.device_program.arguments.device}: {self.summary()}>"

    def __str__(self) -> str:
        listing = self.device_program.listing
        return "\n".join([repr(self), *(listing.lines() if listing is not None else ())])
