"""DeviceHistory: a captured function on a device whose results have a graph.

Note [Results with a graph on a device]
    As on the host (Note [Results with a graph] in history/histories.py), the results are outputs of one node, which
    saves the arguments and the leaves from outside. A recording is a graph of the function alone. The first backward
    captures the function again, as a pair of graphs: its forward, and the gradients. From then on calls run the forward
    of the pair, and their backwards its other half. What a call has left in memory is kept apart where others follow
    before its backward (Note [Residuals on a device] in pairs.py). Gradients for other results, or with other strides,
    have a pair of their own. A backward that builds a graph runs the function again, as usual, and so does one that no
    pair can do; memory outside that the function writes, and generators, are as before the call then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor, device
from wengert_engine import is_grad_enabled
from wengert_engine.extend import is_dual_level_open

from wengert_replay.devices.calls import DeviceCall, has_drawn, random_states, set_states
from wengert_replay.devices.device_program import SHARED
from wengert_replay.devices.pairs import GraphPair, replay_all
from wengert_replay.devices.signature import describe, is_capturing
from wengert_replay.devices.work import FusionError
from wengert_replay.history.histories import History, rebuilt_call
from wengert_replay.history.node import check_results, gradients_of, leaves_like
from wengert_replay.history.runs import Form, Run, Way, attach
from wengert_replay.inspection.counting import count
from wengert_replay.inspection.device_facts import ProgramFacts
from wengert_replay.recording.tracing import is_unusual
from wengert_replay.refusal import OTHER_WRITES, Refusal

if TYPE_CHECKING:
    from wengert_replay.capturing import Capture
    from wengert_replay.devices.device_program import DeviceProgram
    from wengert_replay.devices.segments import Numbers

MOST_PAIRS = 8
"""Pairs of one function: one for each set of results that gradients come for, and their strides."""


REPLACED = (
    "a tensor from outside that {name} has read was replaced between the call and its backward, which reads it by its "
    "memory: call backward() first"
)


class DeviceHistory(ProgramFacts):
    """A function of tensors whose results have a graph, for one signature and one state of what is outside."""

    why_not_validated = "on a device, results with a graph are not compared: calls with validate=True run as usual"
    shared = SHARED
    refusal = ""
    function: Callable[[list[Tensor]], Any]
    name: str
    reasons: list[str]
    fuse: bool
    program: DeviceProgram
    form: Form

    def __init__(self, capture: Capture, structure: Any, fuse: bool, program: DeviceProgram, form: Form) -> None:
        """structure: of the arguments.   program, form: of the recording."""
        self.function = rebuilt_call(capture.function, structure)
        self.name, self.reasons, self.fuse = capture.name, capture.reasons, fuse
        self.program, self.form = program, form  # what calls run
        self.structure: Any = program.structure
        self.pairs: dict[Any, GraphPair | str] = {}  # "": why there is none
        self.replays: int = 0
        self.order: int = 0

    @property
    def device_program(self) -> DeviceProgram:
        return self.program

    def summary(self) -> str:
        """Return the program in words."""
        pairs = sum(isinstance(one, GraphPair) for one in self.pairs.values())
        return f"{super().summary()}, a result has a graph: {count(pairs, 'program')} for call and backward"

    # ---- calls

    def is_stale(self) -> bool:
        """Whether a tensor from outside is gone, or has other memory."""
        return self.program.is_stale()

    def shares(self, tensors: Sequence[Tensor]) -> bool:
        """Whether arguments share memory with tensors from outside, none of which is stale, and one is written."""
        return self.program.shares(tensors)

    @property
    def numbers(self) -> Numbers:
        """Values that Python has read in the recording."""
        return self.program.numbers

    def fits(self) -> bool:
        """Whether a replay does what a call would do."""
        return self.program.fits()

    def replay(self, tensors: list[Tensor]) -> list[Tensor] | Numbers:
        """Return the results of a call with these arguments. Numbers in place of them: see ``DeviceProgram.replay``."""
        program = self.program
        with program.lock:
            call = DeviceCall(program, self.form)
            results = program.replay(tensors, call)
        if isinstance(results, tuple):
            return results
        call.note_end()
        self.replays += 1
        self.attach(call, tensors, results)
        return results

    def attach(self, call: DeviceCall, tensors: list[Tensor], results: list[Tensor]) -> None:
        """Put outputs of a node in place of the results that have a graph."""
        attach(Run(self, self.form, call, len(tensors), Way()), tensors, results)

    # ---- gradients

    def gradients(self, run: Run, inputs: list[Tensor], grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Return gradients for the inputs that require them, and for the leaves; grads: of the outputs."""
        pattern = tuple([one is not None for one in grads])
        given = [one for one in grads if one is not None]
        if not given:
            return [None] * (len(run.form.ends) + len(run.form.leaves))
        inputs = self.once_each(inputs)
        if is_grad_enabled():
            return self.differentiable(run, inputs, given, pattern)
        key = pattern, tuple(map(describe, given))
        pair = self.pairs.get(key)
        if isinstance(pair, str) or is_unusual() or is_dual_level_open() or is_capturing(inputs[0]):
            return self.differentiate(run, inputs, given, pattern)
        if pair is None:
            if len(self.pairs) >= MOST_PAIRS or not all(is_on(one, inputs[0].device) for one in given):
                return self.differentiate(run, inputs, given, pattern)
            return self.record(run, inputs, given, key)
        call: DeviceCall = run.state
        self.check_outside(call, pair)
        found = pair.go_on(call, inputs, given)
        if found is None:
            with call.restore(self.name):
                pair.run_forward(call, inputs, self.name)
                found = pair.run_backward(call, given)
        self.program = pair.program
        return found

    def once_each(self, inputs: list[Tensor]) -> list[Tensor]:
        """Return inputs, those that are one tensor as one."""
        return [inputs[first] for first in self.program.arguments.first]

    def check_outside(self, call: DeviceCall, pair: GraphPair) -> None:
        """Raise RuntimeError where what a backward reads is not what the call has read."""
        call.check_versions(self.name, pair.read_behind)
        if pair.program.is_stale():
            raise RuntimeError(REPLACED.format(name=self.name))

    def record(self, run: Run, inputs: list[Tensor], given: list[Tensor], key: Any) -> list[Tensor | None]:
        """Capture a pair; return the gradients."""
        call: DeviceCall = run.state
        expected = self.results_again(call, inputs)
        try:
            with call.restore(self.name):
                pair = self.capture_pair(call, inputs, given, key[0])
                results = pair.run_forward(call, inputs, self.name)
                states = random_states(call.generators)
                found = pair.run_backward(call, given)
                if has_drawn(states):
                    set_states(states)
                    raise Refusal("backward draws random numbers")
        except Refusal as refused:
            self.pairs[key] = f"gradients of {self.name} are computed as usual: {refused}"
            if str(refused):
                self.reasons.append(str(self.pairs[key]))
            return self.differentiate(run, inputs, given, key[0])
        check_results(self.name, expected, results)
        self.pairs[key], self.program = pair, pair.program
        return found

    def capture_pair(self, call: DeviceCall, inputs: list[Tensor], given: list[Tensor],
                     pattern: Sequence[bool]) -> GraphPair:  # fmt: skip
        """Return a new pair. Raises Refusal."""
        try:
            pair = GraphPair(self.function, inputs, given, pattern, self.form, self.numbers, self.fuse)
        except FusionError:
            if not self.fuse:
                raise
            self.fuse = False
            return self.capture_pair(call, inputs, given, pattern)
        pair.program.draws = self.program.draws
        if not pair.writes_only_to(call.targets()):
            raise Refusal(OTHER_WRITES)
        return pair

    def results_again(self, call: DeviceCall, inputs: list[Tensor]) -> list[Tensor]:
        """Return the results of a call again. RuntimeError where a tensor from outside was replaced."""
        if self.program.is_stale():
            raise RuntimeError(REPLACED.format(name=self.name))
        with call.restore(self.name):
            return replay_all(self.program, inputs, self.name)

    def differentiate(
        self, run: Run, inputs: list[Tensor], given: list[Tensor], pattern: Sequence[bool]
    ) -> list[Tensor | None]:
        """Return gradients by running the function again, as usual."""
        call: DeviceCall = run.state
        can_replay = not (is_unusual() or is_dual_level_open() or is_capturing(inputs[0]))
        expected = self.results_again(call, inputs) if can_replay else None
        with call.restore(self.name) as draw_on:
            results, found = gradients_of(self.call_once_each, leaves_like(inputs), given, run.form, pattern, draw_on)
        check_results(self.name, expected, results)
        return found

    def call_once_each(self, inputs: list[Tensor]) -> Any:
        """Return the function's result."""
        return self.function(self.once_each(inputs))

    def differentiable(
        self, run: Run, inputs: list[Tensor], given: list[Tensor], pattern: Sequence[bool]
    ) -> list[Tensor | None]:
        """Return gradients that have a graph, as results of a node."""
        n, form = len(inputs), run.form
        call: DeviceCall = run.state

        def derive(tensors: list[Tensor]) -> list[Any]:
            with call.restore(self.name):
                return gradients_of(self.call_once_each, tensors[:n], tensors[n:], form, pattern, create_graph=True)[1]

        result: list[Tensor | None] = History(
            derive, f"the derivative of {self.name}", self.reasons, "derivatives of derivatives run as usual on devices"
        ).call([*inputs, *given])
        return result


def is_on(tensor: Tensor, where: device) -> bool:
    """Whether a pair takes a tensor as a gradient."""
    return tensor.device == where and str(tensor.layout) == "torch.strided" and not tensor.is_inference()
