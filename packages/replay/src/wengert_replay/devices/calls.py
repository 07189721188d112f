"""Calls: what the node of a call on a device keeps, beside its arguments, for its backward."""

from __future__ import annotations

from collections.abc import Container, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor, device_memory_of, rng_states
from wengert_engine import no_grad

from wengert_replay.devices.arguments import without_repeats
from wengert_replay.devices.watch import set_version

if TYPE_CHECKING:
    from wengert_core import Generator as RandomGenerator

    from wengert_replay.devices.device_program import DeviceProgram
    from wengert_replay.history.runs import Form

WRITTEN = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: a tensor from "
    "outside that {name} has read. Clone it before, or call backward() first"
)
States = list[tuple[Any, Tensor]]


def random_states(generators: Sequence[RandomGenerator]) -> States:
    """Return the states of the default generators, and of others."""
    states = rng_states()
    known = [generator for generator, _ in states]
    return states + [(one, one.get_state()) for one in generators if one not in known]


def has_drawn(states: States) -> bool:
    """Return whether random numbers were drawn since generators had these states."""
    return any(before.tolist() != generator.get_state().tolist() for generator, before in states)


def set_states(states: States) -> None:
    """Put generators back."""
    for generator, state in states:
        generator.set_state(state)


class Snapshot:
    """The memory and the versions of tensors, and the states of generators, at one time."""

    def __init__(self, tensors: Sequence[Tensor], states: States) -> None:
        self.states = states
        with no_grad():
            aliases = [one.detach() for one in tensors]
            copies = [(one, without_repeats(one).clone(), one._version) for one in aliases]
        self.memory: list[tuple[Tensor, Tensor, int]] = copies

    def put_back(self) -> None:
        """Let everything be as it was."""
        with no_grad():
            for one, values, _ in self.memory:
                without_repeats(one).copy_(values)
        for one, _, version in self.memory:
            set_version(one, version)
        set_states(self.states)


class DeviceCall:
    """A call of a function, as its node keeps it: what it changes, as it was before, and what its backward reads."""

    def __init__(self, program: DeviceProgram, form: Form) -> None:
        """Made before the call."""
        self.generators: list[Any] = program.generators
        written = [tensor for reference, _ in program.bumps if (tensor := reference()) is not None]
        self.before: Snapshot = Snapshot(written, random_states(self.generators) if program.draws else [])
        changing = {id(device_memory_of(one)) for one in [*written, *form.leaves]}
        self.read: list[tuple[Tensor, int]] = []  # other tensors from outside; leaves are saved by the node
        for reference, memory_reference, _ in program.outside:
            tensor, memory = reference(), memory_reference()
            if tensor is not None and id(memory) not in changing:
                self.read.append((tensor.detach(), tensor._version))
        self.after: list[tuple[Tensor, int]] = []
        # for as long as backward may read them
        self.memories: list[Any] = [reference() for reference in program.memories]
        self.saved: list[Any] | None = None  # a copy of the residuals
        self.saved_states: list[Tensor] = []  # of generators: see GeneratorCalls
        self.uses = 0  # backwards that have read the residuals; 2: or more

    def note_draws(self) -> bool:
        """Return whether the call has drawn random numbers; what was kept to do that again goes if it has not."""
        found = has_drawn(self.before.states)
        if not found:
            self.before.states = []
        return found

    def note_end(self) -> None:
        """Note what the call has left of the tensors that it writes to."""
        self.after = [(one, one._version) for one in self.targets()]

    def targets(self) -> list[Tensor]:
        """Return tensors on the memory from outside that the function writes to."""
        return [one for one, _, _ in self.before.memory]

    def check_versions(self, name: str, memories: Container[int]) -> None:
        """Raise RuntimeError where somebody has written to memory, by its identity, since the call has ended."""
        if any(one._version != version and id(device_memory_of(one)) in memories
               for one, version in [*self.read, *self.after]):  # fmt: skip
            raise RuntimeError(WRITTEN.format(name=name))

    @contextmanager
    def restore(self, name: str) -> Generator[Any, None, None]:
        """Memory outside and generators as they were before the call; afterwards as if nothing had happened.

        RuntimeError where what the function reads, and does not write, has changed. name: the function's.

        Gives a function that ends that for generators: what is drawn then is drawn by backward, as in an eager run.
        """
        if any(one._version != version for one, version in self.read):
            raise RuntimeError(WRITTEN.format(name=name))
        now = Snapshot(self.targets(), random_states(self.generators) if self.before.states else [])

        def draw_on() -> None:
            set_states(now.states)
            now.states = []

        self.before.put_back()
        try:
            yield draw_on
        finally:
            now.put_back()
