"""GraphPair: a function and its gradients as two graphs of a device, which share a pool of memory.

Note [Residuals on a device]
    The graph of the backward reads what the forward has left in the pool: the pair's residuals. The memory is for one
    call. Before another one runs, the residuals are copied aside, if somebody may still ask for that call's gradients;
    its backward gets them back. So it is on the host: Note [Several runs before their backwards] in
    history/residuals.pyx.
    A pair holds the memory of its residuals itself, and not the graph of the engine, which would keep leaves alive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np
from wengert_core.extend import Tensor, device_memory_of, device_plugin
from wengert_engine import enable_grad, grad, no_grad

from wengert_replay.devices.arguments import Arguments
from wengert_replay.devices.calls import DeviceCall
from wengert_replay.devices.device_program import STORED, DeviceProgram
from wengert_replay.devices.recording import DeviceRecording
from wengert_replay.devices.segments import Numbers
from wengert_replay.devices.watch import Box, DeviceWatch
from wengert_replay.devices.work import capture_work, undo
from wengert_replay.history.runs import Form
from wengert_replay.history.states import WithoutHooks
from wengert_replay.refusal import Refusal


class ResidualMemory:
    """The memory that the backward of a pair reads. Note [Residuals on a device]"""

    plugin: Any
    index: int
    memories: list[tuple[Any, int, int]]
    boxes: list[Box]

    def __init__(self, plugin: Any, index: int, memories: Sequence[tuple[Any, int, int]], boxes: list[Box]) -> None:
        """memories: each with the first address that is used, and the end.   boxes: states of generators."""
        self.plugin, self.index, self.memories, self.boxes = plugin, index, list(memories), boxes
        self.current: Any = None  # a weak reference to the call whose residuals are there; or None

    def array(self, memory: Any, offset: int, nbytes: int) -> Any:
        return self.plugin.array(memory, offset, (nbytes,), (1,), np.dtype(np.uint8))

    def copy(self, saved: Sequence[Any], is_back: bool) -> None:
        """Copy the residuals to other memory, or back."""
        token = self.plugin.enter(self.index)
        try:
            for (memory, low, high), other in zip(self.memories, saved, strict=True):
                here = self.array(memory, low - memory.address, high - low)
                there = self.array(other, 0, high - low)
                self.plugin.assign(*((here, there) if is_back else (there, here)))
        finally:
            self.plugin.leave(token)

    def put_aside(self) -> None:
        """Copy the residuals, where somebody may ask for them, before another call writes there."""
        call = None if self.current is None else self.current()
        self.current = None
        if call is not None and call.saved is None and call.uses != 1:
            saved = [self.plugin.allocate(high - low, self.index) for _, low, high in self.memories]
            self.copy(saved, False)
            call.saved, call.saved_states = saved, [one.tensor for one in self.boxes]

    def is_of(self, call: DeviceCall) -> bool:
        """Whether the residuals of a call are there."""
        return self.current is not None and self.current() is call

    def take_over(self, call: DeviceCall) -> bool:
        """Have the residuals of a call; False where they are gone."""
        if self.is_of(call):
            return True
        if call.saved is None:
            return False
        self.put_aside()
        self.copy(call.saved, True)
        for box, state in zip(self.boxes, call.saved_states, strict=True):
            box.tensor = state
        self.current = ref(call)
        return True

    def use(self, call: DeviceCall) -> None:
        """Note that a backward has read the residuals: nobody says whether there will be another one."""
        call.uses = min(call.uses + 1, 2)
        if call.uses == 1:
            call.saved, call.saved_states = None, []


class GraphPair:
    """A function and its gradients, for gradients of some of its results.

    held: what the graphs of the forward and of the backward hold, by number.
    """

    grads: Arguments
    graph: Any
    residuals: ResidualMemory
    read_behind: set[int]
    held: tuple[dict[int, Any], dict[int, Any]]

    def __init__(self, function: Callable[[list[Tensor]], Any], inputs: list[Tensor], given: list[Tensor],
                 pattern: Sequence[bool], form: Form, numbers: Numbers, fuse: bool) -> None:  # fmt: skip
        """Capture both. What is computed, up to the last number that Python reads, changes nothing outside.

        pattern: which outputs have a gradient in ``given``.   numbers: that the call has read, from the state in which
        memory outside and generators are.   fuse: see ``DeviceRecording``.
        Raises Refusal, FusionError, and RuntimeError where the function gives other results than those of the form.
        """
        with no_grad():
            self.grads = Arguments(given)
        pool = device_plugin(inputs[0].device.type).make_graph_pool()
        with enable_grad():
            forward = DeviceRecording(function, inputs, fuse, pool, can_read=bool(numbers))
        if forward.structure != form.structure or forward.outputs() != form.outputs \
                or (*forward.graph.numbers,) != numbers:  # fmt: skip
            undo(forward.watch)
            forward.recorder.undo()
            raise RuntimeError("a captured function gives other results when backward runs it again than in the call")
        behind = DeviceWatch(inputs[0], fuse)
        behind.go_on_from(forward.watch)
        left = [memory for one in forward.watch.memories.values() if (memory := one()) is not None]
        roots = [forward.results[i] for i, wanted in zip(form.outputs, pattern, strict=True) if wanted]
        ends = [*(forward.arguments.inputs[i] for i in form.ends), *form.leaves]
        self.found: list[Tensor | None] = []

        def differentiate() -> None:
            with WithoutHooks(form.leaves):
                self.found += grad(roots, ends, self.grads.inputs, retain_graph=True, allow_unused=True)

        try:
            # nodes run on the stream where they were made
            self.graph = capture_work(forward.stream, behind, differentiate, pool).segments
        except BaseException:
            undo(forward.watch)
            forward.recorder.undo()
            raise
        roots.clear()
        forward.drop_graph(form)
        self.program: DeviceProgram = forward.make_program(form)
        why = self.why_not(forward, behind, form)
        undo(behind)
        undo(forward.watch)
        forward.recorder.finish(is_of_no_use=True)
        if why:
            raise Refusal(why)
        used = {id(one): one for one in [*left, *behind.held.values()] if self.graph.owns(one)}
        extents = [(one, *extent_of(one, (forward.watch, behind))) for one in used.values()]
        self.residuals = ResidualMemory(forward.plugin, forward.index, extents,
                                                        behind.generator_calls.close())  # fmt: skip
        self.program.residuals = self.residuals
        self.read_behind = {number for number, one in behind.held.items() if number not in used}
        self.held = forward.watch.held, behind.held

    def why_not(self, forward: DeviceRecording, behind: DeviceWatch, form: Form) -> str:
        """Return why there is no pair: "" or words."""
        why = forward.why_not_node(form, self.program) or forward.why_not_arguments() or behind.refusal
        if why or self.program.refusal not in ("", STORED):  # what backward reads is there still
            return why or self.program.refusal
        if behind.calls or behind.asked:
            return "backward calls a Python function, or reads gradients of leaves"
        mine = {id(device_memory_of(one)) for one in self.grads.rows}
        for tensor_reference, memory_reference, _, version in behind.tensors.values():
            tensor, memory = tensor_reference(), memory_reference()
            if tensor is not None and memory is not None and tensor._version > version \
                    and not self.graph.owns(memory) and id(memory) not in mine:  # fmt: skip
                return "backward writes to a tensor from outside"
        return ""

    def writes_only_to(self, written: Sequence[Tensor]) -> bool:
        """Whether the function writes to no memory from outside but that of these tensors."""
        known = {id(device_memory_of(one)) for one in written}
        now = [tensor for reference, _ in self.program.bumps if (tensor := reference()) is not None]
        return all(id(device_memory_of(one)) in known for one in now)

    def run_forward(self, call: DeviceCall, inputs: list[Tensor], name: str) -> list[Tensor]:
        """Return the results of a call again. All has to be as it was before the call. name: the function's."""
        results = replay_all(self.program, inputs, name, call)
        for held in self.held:  # the graphs have read it
            held.clear()
        return results

    def go_on(self, call: DeviceCall, inputs: list[Tensor], given: list[Tensor]) -> list[Tensor | None] | None:
        """Return the gradients for all ends; None where the residuals of the call are gone."""
        with self.program.in_turn():
            if not self.residuals.is_of(call):
                if not self.residuals.take_over(call):
                    return None
                self.program.arguments.read(inputs)
            return self.run_backward(call, given)

    def run_backward(self, call: DeviceCall, given: list[Tensor]) -> list[Tensor | None]:
        """Return the gradients for all ends. The residuals are those of the call."""
        with self.program.in_turn():
            self.grads.read(given)
            self.graph.replay([])
            self.residuals.use(call)
            made = dict(zip(map(id, self.grads.inputs), given, strict=True))  # Note [Gradients that share memory]
            for one in self.found:
                if one is not None and id(one) not in made:
                    made[id(one)] = one.detach().clone()
            return [None if one is None else made[id(one)] for one in self.found]


def extent_of(memory: Any, watches: Sequence[DeviceWatch]) -> tuple[int, int]:
    """Return the first address of memory that was used, and the end, by what watches have seen of it."""
    number = id(memory)  # which other memory had before, in what one watch has seen
    seen = [one.extents[number] for one in watches if number in one.memories and one.memories[number]() is memory]
    return min(low for low, _ in seen), max(high for _, high in seen)


def replay_all(
    program: DeviceProgram, tensors: list[Tensor], name: str, call: DeviceCall | None = None
) -> list[Tensor]:
    """Return the results of a call again. RuntimeError where it reads other numbers. name: the function's."""
    results = program.replay(tensors, call)
    if isinstance(results, tuple):
        raise RuntimeError(f"{name} reads other numbers when its backward runs it again than in the call: operations "
                           "of this device give other bits in each run")  # fmt: skip
    return results
