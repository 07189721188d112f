"""Calls of a captured function whose results have a graph: programs for them, and results that are a node's."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.history.forms import form_of
from wengert_replay.history.joint import JointProgram
from wengert_replay.history.outside import (
    forget_leaves,
    lies_in,
    refuse_replaced,
    shares_memory,
    unknown_generators,
    why_not_node,
    written_outside,
)
from wengert_replay.history.paused import PausedCall, pause_call
from wengert_replay.history.recorded_gradients import make_program
from wengert_replay.history.runs import Form, Joint, Origins, Run, Way, attach
from wengert_replay.history.states import NOTHING, Modes, State
from wengert_replay.history.watch import Watch
from wengert_replay.instructions.turns import Turn
from wengert_replay.owners import refuse_stored_blocks
from wengert_replay.programs.program import Program
from wengert_replay.recording.tracing import Recording, may_pause
from wengert_replay.refusal import BACKWARD_AND_GRAPH, REENTRANT, Refusal, ReplacedOutside, unknown_object
from wengert_replay.signature import Unhashable, flatten
from wengert_replay.structures import rebuild

MOST_WAYS = 8
"""Ways through one function, where numbers that Python reads differ."""


class CallHistory:
    """A function of tensors whose results have a graph: its calls. The class below has their gradients."""

    function: Callable[[list[Tensor]], Any]
    name: str
    reasons: list[str]
    refusal: str
    draws: bool

    def __init__(
        self,
        function: Callable[[list[Tensor]], Any],
        name: str,
        reasons: list[str],
        refusal: str = "",
        n_arguments: int | None = None,
        source: CallHistory | None = None,
    ) -> None:
        """name, reasons: of the captured function, for explanations.   refusal: why no program is made.   n_arguments:
        the tensors behind that many are gradients; None: all are arguments.   source: what this is the derivative of.
        """
        self.function, self.name, self.reasons, self.refusal = function, name, reasons, refusal
        self.n_arguments = n_arguments
        self.source: Callable[[], CallHistory | None] = no_history if source is None else weakref.ref(source)
        self.usual: str = ""  # why calls run as usual from now on
        self.has_effects: bool = False  # the backward in a derivative draws or writes
        self.written: list[Tensor] = []  # tensors from outside that calls write to
        self.draws = False  # calls draw random numbers
        self.generators: list[Any] = []  # from which operations draw that replays call, default ones left out
        self.modes: Modes = Modes.now()  # of calls: there is a history for each combination
        self.ways: list[Way] = []
        self.paused: PausedCall | None = None  # whose backward has not come
        self.may_pause: bool = True  # calls do, until their first backward
        self.turn: Turn = Turn()  # of the captured function's calls

    def note_use(self, written: list[Tensor], state: State) -> None:
        """Note tensors from outside that a run has written to, and that it has drawn. state: before the run."""
        self.written += [one for one in written if not shares_memory(one, self.written)]
        self.draws = self.draws or state.has_drawn()

    def programs(self) -> list[Program]:
        """End the recording that is held for a backward, if there is one, and return the programs that there are."""
        self.settle_paused()
        return [program for way in self.ways for program in way.programs()]

    def is_stale(self) -> bool:
        """Whether it never fits again: no, ways that do not are dropped."""
        return False

    def newest(self) -> JointProgram | None:
        """The program that was made last; None where there is none."""
        joint = self.ways[-1].joint if self.ways else None
        return None if joint is None else joint.program

    def state(self) -> State:
        """Return what the next call may change."""
        return State(self.written, self.draws, self.generators) if self.written or self.draws else NOTHING

    def replay(self, tensors: list[Tensor]) -> Any:
        """Return the result's structure and tensors; None where a call is to be recorded, False where it cannot be."""
        self.settle_paused()
        if self.usual:
            return False
        state = self.state()
        for way in list(self.ways):
            found = way.run(self, state, tensors)
            if found:
                return found
            if found is None:
                self.forget_way(way)
        return None if len(self.ways) < MOST_WAYS else False

    def adopt(self, recording: Recording, holder: list[Any], watch: Watch) -> Any:
        """Return the result of a recorded call, ``holder[0]``, as that of a node, and make a program of it.

        Where the function writes to tensors from outside whose values before the call nobody has kept, the result stays
        as it is, and the next call is recorded. Raises Refusal, while nothing has changed, where it cannot be a node's.
        """
        results: list[Tensor] = []
        try:
            structure = flatten(holder[0], results)
        except Unhashable as error:
            raise Refusal(unknown_object(error)) from None
        form, why = form_of(structure, results, recording, watch.clock, holder)
        why = why or why_not_node(results, recording) or recording.why_not_made(results)
        if not why and recording.python.needs_whole_backward:
            why = REENTRANT
        if not why and not forget_leaves(recording):
            why = BACKWARD_AND_GRAPH
        if why:
            raise Refusal(why)
        if any(nbytes and one.untyped_storage().data_ptr() != address
               for one, _, address, nbytes in recording.outside.values()):  # fmt: skip
            raise Refusal("the function gives a tensor from outside other memory")  # each run of it would
        refuse_stored_blocks(recording, results, holder)
        refuse_replaced(recording)
        self.draws = self.draws or watch.state.has_drawn()
        new = [one for one in written_outside(recording) if not lies_in(one, self.written)]
        drawn = unknown_generators(recording, self.generators)
        self.written += new
        self.generators += drawn
        if new or drawn:
            return holder[0]
        if not self.draws:
            watch.state.random = None
        holder.clear()
        if self.may_pause and may_pause() and not recording.leaves and not self.refusal:
            return self.pause(recording, results, form, watch.state)
        return self.settle(recording, results, form, recording.inputs, watch.state)

    def pause(self, recording: Recording, results: list[Tensor], form: Form, state: State) -> Any:
        """Return the result of a call as that of a node, whose backward goes on in the recording."""
        way = Way()
        paused, graph = pause_call(recording, results, form, way)
        self.settle_paused()  # one of another thread
        self.paused = paused
        self.ways.append(way)
        run = Run(self, form, state, len(recording.inputs), way)
        run.graph = graph
        attach(run, recording.inputs, results)
        return rebuild(form.structure, results)

    def settle_paused(self) -> None:
        """Make a program of the call alone where a recording pauses."""
        paused, self.paused = self.paused, None
        if paused is None:
            return
        way, recording = paused.way, paused.recording
        paused.take_results()
        recording.end_pause()
        try:
            if not paused.has_results():
                raise Refusal("somebody has written to a result", transient=True)
            self.make_forward(way, recording, paused.results, paused.form)
        except Refusal:  # the next recording says whether it is for good
            self.may_pause = False
            self.forget_way(way)
        recording.close()
        del paused, recording
        if way.joint is not None:
            way.joint.program.drop_temporaries()

    def take_paused(self, paused: PausedCall) -> bool:
        """Let a paused call be the caller's alone; False where another thread has it."""
        found = self.paused is paused
        if found:
            self.paused = None
        return found

    def make_forward(self, way: Way, recording: Recording, results: list[Tensor], form: Form) -> None:
        """Make a program of a call alone. Raises Refusal."""
        try:
            program = make_program(recording, results, len(recording.inputs), len(results))
        except ReplacedOutside:
            way.is_replaced = True
            raise
        way.joint = Joint(program, form, Origins([], 0, []))
        if way not in self.ways:
            self.ways.append(way)

    def forget_way(self, way: Way) -> None:
        with contextlib.suppress(ValueError):  # another thread has removed it
            self.ways.remove(way)

    def settle(
        self,
        recording: Recording,
        results: list[Tensor],
        form: Form,
        inputs: list[Tensor],
        state: State,
        why: str = "",
        passing: bool = False,
    ) -> Any:
        """Return the result of a call as that of a node. why: why no program is made of the recording, this time if
        ``passing``.
        """
        for i in form.outputs:
            results[i] = results[i].detach()
        way = Way()
        try:
            if why:
                raise Refusal(why, passing)
            self.make_forward(way, recording, results, form)
        except Refusal as refused:
            if not refused.transient:
                self.refusal = str(refused)
        attach(Run(self, form, state, len(inputs), way), inputs, results)
        return rebuild(form.structure, results)


def no_history() -> CallHistory | None:
    """Stands for a reference to the history of which one is the derivative, where it is of none."""
    return None
