"""Validation on devices: each replay of a graph beside an eager run from the same state.

Note [A validated call on a device]
    What inspection/validation.py does on the host is done here: the memory of arguments, of tensors from outside and of
    gradients is copied on the device, the graph is replayed, and its effects are read; then all of
    it is put back, the function runs as usual, and both are compared on the host. Results and gradients of a replay are
    copies, whose versions begin with 0, so that versions of new tensors are not compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor, rng_states
from wengert_engine import no_grad

from wengert_replay.devices.arguments import without_repeats
from wengert_replay.devices.watch import set_version
from wengert_replay.inspection.validation import Effects, State, run_eagerly

if TYPE_CHECKING:
    from wengert_replay.devices.device_program import DeviceProgram
    from wengert_replay.devices.segments import Numbers


def replay_validated(
    program: DeviceProgram, tensors: list[Tensor], name: str, call: Callable[[], Any]
) -> list[Tensor] | Numbers:
    """Replay a program, compare it with the function, and return the tensors of the eager result.

    Numbers in place of them: see ``DeviceProgram.replay``.
    Raises ReplayDiffersError, or what the function raises.
    """
    state = DeviceState(program, tensors)
    found = program.replay(tensors)
    if isinstance(found, tuple):
        return found
    replayed = Effects(state, found)
    state.restore()
    results = run_eagerly(name, program.structure, call)
    Effects(state, results).compare(name, replayed)
    return results


class DeviceState(State):
    """The state that a replay on a device can change, as it is now."""

    def __init__(self, program: DeviceProgram, tensors: list[Tensor]) -> None:
        rows: list[tuple[str, Tensor | None]] = [(f"argument {number}", t) for number, t in enumerate(tensors)]
        rows += [(f"outside tensor {number}", row[0]()) for number, row in enumerate(program.outside)]
        rows += [(f"leaf {number}", one.leaf()) for number, one in enumerate(program.gradients)]
        self.named = {name: t for name, t in first_names(rows).items() if t is not None}
        leaves = [leaf for one in program.gradients if (leaf := one.leaf()) is not None]
        self.leaves = {self.name_of(leaf): leaf for leaf in leaves}
        self.grads = {name: leaf.grad for name, leaf in self.leaves.items()}
        kept = [*self.named.values(), *(grad for grad in self.grads.values() if grad is not None)]
        with no_grad():
            self.memory = [(t, without_repeats(t.detach()).clone(), t._version) for t in kept]
        self.generators = rng_states()
        known = [generator for generator, _ in self.generators]
        self.generators += [(one, one.get_state()) for one in program.generators if one not in known]
        self.resets_versions = True

    def restore(self) -> None:
        for name, leaf in self.leaves.items():
            if leaf.grad is not self.grads[name]:
                leaf.grad = self.grads[name]
        with no_grad():
            for t, values, _ in self.memory:
                without_repeats(t.detach()).copy_(values)
        for t, _, version in self.memory:
            set_version(t, version)
        for generator, position in self.generators:
            generator.set_state(position)


def first_names(rows: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return tensors by name, each by the first name that it has."""
    names: dict[int, str] = {}
    return {name: t for name, t in rows if names.setdefault(id(t), name) == name}
