"""DeviceProgram: a graph of a device with what a function does beside it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any
from weakref import ref

from wengert_core.extend import Tensor, device_memory_of
from wengert_engine import no_grad
from wengert_engine.namespaces.graph import increment_version
from wengert_registry import fork_lock

from wengert_replay.devices.arguments import Arguments
from wengert_replay.devices.listing import Listing
from wengert_replay.devices.ranges import Ranges
from wengert_replay.devices.segments import Numbers, Segments
from wengert_replay.devices.watch import DeviceWatch
from wengert_replay.inspection.answers import is_without_effects
from wengert_replay.inspection.device_facts import ProgramFacts
from wengert_replay.refusal import SHARED_OUTSIDE, SHARED_RESULTS
from wengert_replay.signature import flatten

STORED = "the function has stored tensors that it made somewhere else than in its results"
"""A refusal for this time: optimizers make their state in their first steps."""
SHARED = f"{SHARED_OUTSIDE}, and one of them is written"
"""A refusal for this time: another call may have another argument."""

CALLED_TWICE = ("on a device, Python functions inside of a program are called ahead of a replay, and an eager run "
                "would call them once more: calls with validate=True run as usual")  # fmt: skip
CHANGED = "the function changes Python's state that it depends on"
"""A refusal for this time: another call may leave that as it was."""


class LeafGradient:
    """The gradient of a leaf before and after a program."""

    def __init__(self, leaf: Tensor, before: Tensor | None, used: bool, graph: Any) -> None:
        self.leaf = ref(leaf)
        after = leaf.grad
        self.is_changed = after is not before
        self.was_none = before is None
        self.memory = ref(device_memory_of(before)) if before is not None and used else None
        self.after = after  # that a replay gives a copy of
        self.is_foreign = self.is_changed and after is not None and not graph.owns(device_memory_of(after))

    def fits(self) -> bool:
        """Whether the leaf is as it was before the recording."""
        leaf = self.leaf()
        if leaf is None:
            return False
        grad = leaf.grad
        if grad is None or self.was_none:
            return grad is None and self.was_none
        return self.memory is None or device_memory_of(grad) is self.memory()


class DeviceProgram(ProgramFacts):
    """A captured function's work on a device, for one signature."""

    why_not_validated: str = ""
    shared = SHARED

    def __init__(self, plugin: Any, index: int, graph: Segments, arguments: Arguments) -> None:
        self.plugin: Any = plugin
        self.index: int = index
        self.graph: Segments = graph
        self.arguments: Arguments = arguments
        self.structure: Any = None
        self.results: list[Tensor] = []
        self.outside: list[tuple[Any, Any, int]] = []  # weak references to tensor and memory, and the address
        self.memories: list[Any] = []
        self.bumps: list[tuple[Any, int]] = []
        self.ranges: Ranges = Ranges([])  # of the memory from outside
        self.written_ranges: Ranges = Ranges([])
        self.gradients: list[LeafGradient] = []
        self.calls: list[Any] = []
        self.generators: list[Any] = []
        self.draws: bool = True  # random numbers, as far as is known
        self.residuals: Any = None  # the ResidualMemory that its backward reads; or None
        self.refusal: str = ""
        self.lock: RLock = fork_lock()
        self.done: Any = None  # an event behind the last replay
        self.listing: Listing | None = None
        self.nbytes: int = 0  # of values; what the device's own functions need in between is not seen
        self.replays: int = 0
        self.order: int = 0  # among the programs of a signature

    def note(self, watch: DeviceWatch, results: list[Tensor], structure: Any, is_node: bool = False) -> None:
        """Note what a recording has seen, and why there is no program. is_node: whether results had a graph."""
        self.arguments.note_writes(watch.written)
        self.structure, self.results, self.calls = structure, results, watch.calls
        if not all(is_without_effects(function) for function, _, _ in self.calls):
            self.why_not_validated = CALLED_TWICE
        self.listing, self.nbytes = watch.listing, Ranges(watch.regions).nbytes + self.arguments.nbytes
        self.generators = watch.generators
        alive = [memory for one in watch.memories.values() if (memory := one()) is not None]
        mine = self.arguments.memories()
        for leaf, before in watch.leaves.values():
            used = before is not None and any(device_memory_of(before) is memory for memory in alive)
            gradient = LeafGradient(leaf, before, used, self.graph)
            if used or gradient.is_changed or not is_node:  # a node's gradients come and go between its calls
                self.gradients.append(gradient)
        grads = [one.after for one in self.gradients if one.is_changed and one.after is not None]
        outside = [one for one in alive if not self.graph.owns(one) and id(one) not in mine]
        self.memories = [ref(one) for one in outside]
        self.ranges = Ranges(watch.extents[id(one)] for one in outside)
        self.written_ranges = Ranges(watch.extents[id(one)] for one in outside if id(one) in watch.written)
        seen = set()
        for tensor_reference, memory_reference, address, version in watch.tensors.values():
            tensor, memory = tensor_reference(), memory_reference()
            if tensor is None or memory is None or self.graph.owns(memory) or id(memory) in mine:
                continue
            self.outside.append((tensor_reference, memory_reference, address))
            if tensor._version > version and id(memory) not in seen:
                seen.add(id(memory))
                self.bumps.append((tensor_reference, tensor._version - version))
        self.refusal = watch.refusal or self.arguments.why_not(results) or self.why_not(alive, results, grads)
        if self.listing is not None:
            self.listing.close()

    def why_not(self, alive: list[Any], results: list[Tensor], grads: list[Tensor]) -> str:
        """Return why the recording is no program; "" where it is one."""
        device = self.arguments.device
        if any(one.device != device for one in results):
            return "a result is not on the device"
        if any(one.is_foreign for one in self.gradients):
            return "a gradient of a leaf is a tensor from outside"
        made = [one for one in results if not self.arguments.own(one)]
        if any(one.requires_grad and one.grad_fn is None for one in made):
            return "a result is a leaf that the function has made, or a tensor from outside"
        used = [device_memory_of(one) for one in {id(one): one for one in [*made, *grads]}.values()]
        if not all(self.graph.owns(one) for one in used):
            return "a result is, or is a view of, a tensor from outside"
        if len({id(one) for one in used}) < len(used):
            return SHARED_RESULTS
        return STORED if self.has_more_than(used, alive) else ""

    def has_more_than(self, used: list[Any], alive: list[Any]) -> bool:
        """Whether memory of the graph is alive beside ``used``."""
        return any(self.graph.owns(one) and all(one is not other for other in used) for one in alive)

    @property
    def numbers(self) -> Numbers:
        """Values that Python has read in the recording."""
        return (*self.graph.numbers,)

    @property
    def device_program(self) -> DeviceProgram:
        return self

    def had_gradients(self) -> set[int]:
        """Return the identities of the leaves from outside that had a gradient before the recording."""
        return {id(one.leaf()) for one in self.gradients if not one.was_none}

    def is_stale(self) -> bool:
        """Whether a tensor from outside is gone, or has other memory."""
        if any(one() is None for one in self.memories):
            return True
        for tensor_reference, memory_reference, address in self.outside:
            tensor = tensor_reference()
            if tensor is not None and (
                device_memory_of(tensor) is not memory_reference() or tensor.data_ptr() != address
            ):
                return True
        return any(one.leaf() is None for one in self.gradients)

    def shares(self, tensors: Sequence[Tensor]) -> bool:
        """Whether arguments share memory with tensors from outside, none of which is stale, and one is written."""
        written = [one for one, n in zip(tensors, self.arguments.is_written, strict=True) if n]
        return self.written_ranges.meet_any(tensors) or self.ranges.meet_any(written)

    def fits(self) -> bool:
        """Whether a replay does what a call would do."""
        return not self.is_stale() and all(one.fits() for one in self.gradients) and all(map(gives_same, self.calls))

    def replay(self, tensors: Sequence[Tensor], call: Any = None) -> list[Tensor] | Numbers:
        """Return the results of a call with these arguments. call: whose backward may read what is left in memory.

        Numbers in place of them: the last differs from the recorded one, and nothing has changed.
        """
        with self.in_turn():
            if self.residuals is not None:
                self.residuals.put_aside()
            self.arguments.read(tensors)
            missed = self.graph.replay(self.generators)
            if missed is not None:
                return missed
            if self.residuals is not None and call is not None:
                self.residuals.current = ref(call)
            for reference, n in self.bumps:
                tensor = reference()
                for _ in range(n if tensor is not None else 0):
                    increment_version(tensor)
            found = self.finish(tensors)
            self.replays += 1
        return self.add_views(found, tensors)

    @contextmanager
    def in_turn(self) -> Generator[None, None, None]:
        """Work on the program's memory, behind all that other threads and streams have done there."""
        stream = self.plugin.current_stream(self.index)
        with self.lock, no_grad():
            if self.done is not None:
                stream.wait_event(self.done)
            try:
                yield
            finally:
                self.done = stream.record_event()

    def finish(self, tensors: Sequence[Tensor]) -> list[Tensor | None]:
        """Copy what the graph has computed to where the caller finds it; None for what is there already."""
        self.arguments.write(tensors)
        copies: dict[int, Tensor] = {}

        def copy(tensor: Tensor) -> Tensor:
            if id(tensor) not in copies:
                copies[id(tensor)] = tensor.detach().clone()
            return copies[id(tensor)]

        for one in self.gradients:
            leaf = one.leaf()
            if one.is_changed and leaf is not None:
                leaf.grad = None if one.after is None else copy(one.after)
        return [None if self.arguments.own(one) else copy(one) for one in self.results]

    def add_views(self, found: list[Tensor | None], tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the results of a call: copies, and arguments and views of them."""
        apart: dict[int, Tensor] = {}
        return [self.arguments.in_place_of(result, tensors, apart) if copied is None else copied
                for result, copied in zip(self.results, found, strict=True)]  # fmt: skip


def gives_same(call: tuple[Any, Any, list[Any]]) -> bool:
    """Call a Python function of a recording again; return whether it gives what it gave."""
    function, structure, numbers = call
    tensors: list[Tensor] = []
    return bool(flatten(function(), tensors) == structure and [one.tolist() for one in tensors] == numbers)
