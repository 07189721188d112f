"""Recordings on a device: a run of a function while the device captures, and the program of it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor, device_memory_of, device_plugin
from wengert_engine import no_grad

from wengert_replay.devices.arguments import Arguments
from wengert_replay.devices.calls import DeviceCall
from wengert_replay.devices.device_program import CHANGED, SHARED, STORED, DeviceProgram
from wengert_replay.devices.listing import Listing
from wengert_replay.devices.segments import SegmentRecorder, Segments
from wengert_replay.devices.watch import DeviceWatch
from wengert_replay.devices.work import capture_work, undo
from wengert_replay.graphs import is_freed
from wengert_replay.history.edges import graph_clock, outer_leaves
from wengert_replay.history.node import has_graph
from wengert_replay.history.runs import Form
from wengert_replay.refusal import ARGUMENT_IS_WRITTEN, BACKWARD_AND_GRAPH, REENTRANT, Refusal
from wengert_replay.signature import flatten
from wengert_replay.structures import rebuild

if TYPE_CHECKING:
    from wengert_replay.devices.histories import DeviceHistory
    from wengert_replay.python_state.changes import Changes


class DeviceRecording:
    """A function's run while a device captures: its graph, and what Python has of it. Nothing is computed yet."""

    plugin: Any
    index: int
    arguments: Arguments
    watch: DeviceWatch
    clock: int
    stream: Any
    graph: Segments
    recorder: SegmentRecorder

    def __init__(self, call: Callable[[list[Tensor]], Any], tensors: list[Tensor], fuse: bool, pool: Any = None,
                 can_read: bool = False, changes: Changes | None = None) -> None:  # fmt: skip
        """call: the function of the tensors among its arguments.   fuse: whether pointwise operations are computed
        together: Note [Chains on a device].   pool, can_read: see ``capture_work``.   changes: see
        ``record_program``.

        Raises what ``capture_work`` does.
        """
        first = tensors[0]
        self.plugin, self.index = device_plugin(first.device.type), int(first.device.index or 0)
        with no_grad():
            self.arguments = Arguments(tensors)
        self.watch = DeviceWatch(first, fuse)
        self.watch.changes = changes
        self.watch.listing = Listing(self.arguments.inputs, self.watch.lines)
        self.results: list[Tensor] = []
        self.structure: Any = None
        self.clock = graph_clock()

        def work() -> None:
            self.structure = flatten(call(self.arguments.inputs), self.results)

        self.stream = self.plugin.make_stream(self.index)
        self.recorder = capture_work(self.stream, self.watch, work, pool, can_read)
        self.graph = self.recorder.segments
        for number in [number for number, one in self.watch.held.items() if self.graph.owns(one)]:
            del self.watch.held[number]  # made inside of an operation, and seen as an argument first

    def outputs(self) -> list[int]:
        """Return the numbers of the results that have a graph which no backward has run and freed."""
        inputs = self.arguments.inputs
        return [i for i, one in enumerate(self.results)
                if has_graph(one) and not is_freed(one.grad_fn) and all(one is not t for t in inputs)]  # fmt: skip

    def form(self) -> tuple[Form | None, str]:
        """Return the form of the results, None where none has a graph; and why they cannot be a node's, or ""."""
        try:
            outputs = self.outputs()
        except Refusal as refused:
            return None, str(refused)
        if not outputs:
            return None, ""
        roots, inputs = [self.results[i] for i in outputs], self.arguments.inputs
        leaves, why = outer_leaves(roots, inputs, self.clock)
        if any(has_graph(one) and is_freed(one.grad_fn) for one in self.results):
            why = why or "a result has a graph, and another one has had its backward"
        mine = self.arguments.memories()
        known = [(one, device_memory_of(one)) for one in leaves]  # some may be the function's own
        leaves = [one for one, memory in known if not self.graph.owns(memory) and id(memory) not in mine]
        ends = [i for i, one in enumerate(inputs) if one.requires_grad and self.arguments.first[i] == i]
        if not ends and not leaves:
            why = why or "a result has a graph that leads to leaves which the function makes"
        form = Form(self.structure, outputs, ends, leaves, [], [], [])
        return form, why or form.note_retained(self.results)

    def drop_graph(self, form: Form) -> None:
        """Let the results have no graph."""
        for i in form.outputs:
            self.results[i] = self.results[i].detach()

    def make_program(self, form: Form | None) -> DeviceProgram:
        """Return the program, which may be one that is refused. form: of results that had a graph, and have no more."""
        program = DeviceProgram(self.plugin, self.index, self.graph, self.arguments)
        program.note(self.watch, self.results, self.structure, form is not None)
        if program.refusal == STORED:
            gc.collect()  # a graph may have had cycles
            program = DeviceProgram(self.plugin, self.index, self.graph, self.arguments)
            program.note(self.watch, self.results, self.structure, form is not None)
        return program

    def why_not_node(self, form: Form, program: DeviceProgram) -> str:
        """Return why the results cannot be those of a node: "" or words."""
        if any(self.arguments.is_written):
            return ARGUMENT_IS_WRITTEN
        if any(leaf.grad is not before for leaf, before in self.watch.leaves.values()):
            return BACKWARD_AND_GRAPH
        self.watch.leaves.clear()  # which would hold those that the function makes
        if self.watch.needs_whole_backward:
            return REENTRANT
        if any(one is None for one in form.leaves):
            return "a result has a graph that leads to a leaf which the function makes of a tensor from outside"
        return ""

    def why_not_arguments(self) -> str:
        """Return what the function does with arguments that a replay would not do; "" else."""
        if self.arguments.are_changed():
            return "the function changes shape or memory of an argument"
        differentiated = [one for one in self.arguments.inputs if one.requires_grad]
        if any(id(one) in self.watch.asked for one in differentiated):
            return "the function runs backward to an argument that requires gradients, or reads its gradient"
        for one in self.results if differentiated else ():
            if self.arguments.own(one) and all(one is not t for t in self.arguments.inputs):
                return "a result is a view of an argument that requires gradients, or has its memory"
        return ""

    def why_not_numbers(self) -> str:
        """Return why numbers that the function reads are not those of a usual call, or cannot be compared; "" else."""
        if self.recorder.is_denied or self.watch.has_effects:
            return self.watch.refusal
        if not self.graph.numbers:
            return ""
        if len(self.watch.calls) > self.recorder.calls_before:
            return "a Python function is called inside of it, behind a number that is read"
        return ""

    def make_call(self, program: DeviceProgram, form: Form | None) -> DeviceCall | None:
        """Return what the node of this call keeps; None without one."""
        if form is None:
            return None
        with self.recorder.as_before():
            return DeviceCall(program, form)

    def run(self) -> None:
        """Let the device do the work for the first time."""
        self.graph.graphs[-1].replay()
        self.watch.held.clear()

    def run_for_nothing(self) -> None:
        """Let the device do the work, so that what the function has stored has its numbers, and undo all else."""
        self.recorder.run_last()
        self.watch.held.clear()
        self.recorder.undo()
        undo(self.watch)


def record_program(
    function: Callable[..., Any], structure: Any, tensors: list[Tensor], fuse: bool,
    make_history: Callable[[DeviceProgram, Form], DeviceHistory], why_changed: Callable[[], str],
    changes: Changes,
) -> tuple[DeviceProgram | DeviceHistory, Any, list[Tensor]]:  # fmt: skip
    """Run a function as a recording; return the program, and the result with its tensors apart.

    make_history: makes what is replayed where results have a graph.   why_changed: gives the reason why the
    function has changed Python's state, or "".   changes: is told of Python functions that each replay calls.
    The program may be one that is refused. Raises Refusal where the call is to run as usual: everything is as before
    then. FusionError where the device cannot compute a chain.
    """

    def call(inputs: list[Tensor]) -> Any:
        args, kwargs = rebuild(structure, inputs)
        return function(*args, **kwargs)

    recorded = DeviceRecording(call, tensors, fuse, can_read=True, changes=changes)
    arguments, results, shape = recorded.arguments, recorded.results, recorded.structure
    form, why = recorded.form()
    if form is not None:
        recorded.drop_graph(form)
    program = recorded.make_program(form)
    why = why or recorded.why_not_arguments()
    if form is not None and not why:
        why = recorded.why_not_node(form, program)
    why = why or recorded.why_not_numbers() or (SHARED if program.shares(tensors) else "")
    program.refusal = why or program.refusal or why_changed()
    current = recorded.plugin.current_stream(recorded.index)
    if program.refusal:
        if form is not None or why or any(one.requires_grad for one in tensors):
            recorded.run_for_nothing()
            raise Refusal(program.refusal, program.refusal in (STORED, SHARED, CHANGED))
        recorded.run()
        with no_grad():
            arguments.write(tensors)
        arguments.hand_over_gradients(tensors)
        apart: dict[int, Tensor] = {}
        return program, shape, [arguments.in_place_of(one, tensors, apart) for one in results]
    state = recorded.make_call(program, form)
    recorded.recorder.finish()
    recorded.run()
    with no_grad():
        found = program.finish(tensors)
        program.done = current.record_event()
    whole = program.add_views(found, tensors)
    if form is None or state is None:
        return program, shape, whole
    program.draws = state.note_draws()
    state.note_end()
    history = make_history(program, form)
    history.attach(state, tensors, whole)
    return history, shape, whole
