"""History: a captured function whose results have a graph, for one signature.

Note [Results with a graph]
    A call gives results without the graph of the function's operations, which are outputs of one node (Replay). Its
    edges lead to the arguments and to the leaves from outside that the function uses; it saves both, so that a write
    to one of them before backward is noticed.
    The first backward goes on in the recording of its call (Note [One recording for a call and its backward] in
    paused.py), or runs the function again, with a graph, and records that together with its gradients: a program with a
    return point. From then on a call runs that program up to this point, and its backward goes on from there: nothing
    is computed twice, also where other calls have run the program in between (Note [Several runs before their
    backwards] in residuals.pyx). Where gradients come for other results than before, the function's part runs again
    first. Then memory outside that the function writes, the state of generators, modes, and ``requires_grad`` of leaves
    are first set to what they were in the call, and afterwards to what they are now.
    What runs the function again compares its results with the program's: Python's state may have changed since. A
    tensor from outside that it has read, and that was written or replaced since, is an error.
    A backward that builds a graph (create_graph) runs the derivative as a function of arguments and gradients, whose
    results are those of a node of this kind too: so to any order. Gradients may share memory, which arguments of a
    recording may not: it gets copies of them.

Note [Derivatives of effects]
    In an eager run a backward that draws or writes runs once in each backward that comes to it. The derivative is a
    node beside the function's, and has nodes of its own for what the function does: a backward that comes to both
    would draw twice. So calls run as usual once that is known, by the first backward that builds a graph. What has been
    replayed before is differentiated as long as the derivative's own nodes have no effects in it; else it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine import is_grad_enabled, is_inference_mode_enabled
from wengert_engine.extend import is_dual_level_open

from wengert_replay.collecting import without_collector
from wengert_replay.history.calls import CallHistory
from wengert_replay.history.edges import graph_clock
from wengert_replay.history.forms import form_of
from wengert_replay.history.node import (
    arguments_of_call,
    check_outside,
    check_results,
    gradients_of,
    leaves_like,
    restore_state,
)
from wengert_replay.history.outside import (
    copy_with_strides,
    forget_leaves,
    why_not_node,
    written_outside,
)
from wengert_replay.history.recorded_gradients import record_again, record_on
from wengert_replay.history.runs import Derivative, Run, describe_grads
from wengert_replay.history.states import RestoredFlags, State
from wengert_replay.instructions.turns import PythonTurn
from wengert_replay.recording.tracing import Recording, is_unusual
from wengert_replay.refusal import BACKWARD_AND_GRAPH
from wengert_replay.signature import flatten
from wengert_replay.structures import rebuild

MOST_DERIVATIVES = 8
"""Programs with gradients of one way: one for each set of results that gradients come for, and their strides."""
EFFECTS = "backward draws random numbers, or writes to tensors from outside"
AGAIN = f"{EFFECTS}, and would do that twice here. Call the function again, which runs as usual from now on"


class History(CallHistory):
    """A function of tensors whose results have a graph, with its derivatives to any order."""

    # ---- gradients

    def gradients(self, run: Run, inputs: list[Tensor], grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Return gradients for the inputs that require them, and for the leaves; grads: of the outputs."""
        with PythonTurn(self.turn):
            return self.gradients_of_call(run, inputs, grads)

    def gradients_of_call(
        self, run: Run, inputs: list[Tensor], grads: Sequence[Tensor | None]
    ) -> list[Tensor | None]:
        pattern = tuple([one is not None for one in grads])
        given = [one for one in grads if one is not None]
        if not given:
            return [None] * (len(run.form.ends) + len(run.form.leaves))
        inputs = arguments_of_call(inputs, run.form.ends)
        if is_inference_mode_enabled():
            return self.differentiate(run, inputs, given, pattern)
        key = pattern, describe_grads(given)
        if self.has_effects and not is_grad_enabled():
            return self.differentiate_once(run, inputs, given, pattern)
        if is_grad_enabled():
            if not is_unusual():
                self.settle_paused()
            return self.differentiable(run, key, inputs, given)
        derivatives = run.way.derivatives
        full = key not in derivatives and len(derivatives) >= MOST_DERIVATIVES
        if full or key[1] is None or self.refusal or is_unusual() or is_dual_level_open():
            return self.differentiate(run, inputs, given, pattern)
        return self.recorded_gradients(run, derivatives.setdefault(key, Derivative(*key)), inputs, given, pattern)

    def differentiable(self, run: Run, key: Any, inputs: list[Tensor], given: list[Tensor]) -> list[Tensor | None]:
        """Return gradients that have a graph, as results of a node."""
        higher = self.higher(run, key)
        if not higher.ways:
            self.check_function(run, inputs)
        with RestoredFlags(run.form):
            check_outside(run)
            result: list[Tensor | None] = higher.call([*inputs, *given])
        return result

    def recorded_gradients(
        self, run: Run, derivative: Derivative, inputs: list[Tensor], given: list[Tensor], pattern: Sequence[bool]
    ) -> list[Tensor | None]:
        """Return the gradients of a call by a program, which is made where there is none."""
        paused = self.paused
        if paused is not None:
            if paused.way is run.way and paused.may_go_on() and self.take_paused(paused):
                return record_on(self, run, derivative, paused, given, pattern)
            self.settle_paused()
        found = self.replay_gradients(run, derivative, inputs, given)
        if found is not None:
            return found
        if derivative.refusal:
            return self.differentiate(run, inputs, given, pattern)
        return record_again(self, run, derivative, inputs, given, pattern)

    def replay_gradients(
        self, run: Run, derivative: Derivative, inputs: list[Tensor], given: list[Tensor]
    ) -> list[Tensor | None] | None:
        joint = derivative.joint
        if joint is None:
            return None
        residuals = run.residuals if joint is run.joint else None
        found = None if residuals is None else joint.program.go_on(residuals, given)
        if found is None:
            with restore_state(run), self.modes.restore():
                again = joint.program.run_again(inputs, given, residuals)
            if again is None:
                derivative.joint = None
                return None
            run.joint = joint
            run.residuals, found = again
        run.way.joint, run.way.newest = joint, derivative
        return joint.origins.for_ends(found, given)

    def differentiate(
        self, run: Run, inputs: list[Tensor], given: list[Tensor], pattern: Sequence[bool]
    ) -> list[Tensor | None]:
        """Return gradients by running the function again, as usual."""
        run.twin = None  # there is no replay to compare
        expected = self.results_by_program(run, inputs)
        with restore_state(run) as restoration:
            results, found = gradients_of(
                self.function, leaves_like(inputs), given, run.form, pattern, restoration.end, modes=self.modes
            )
        check_results(self.name, expected, results)
        return found

    def results_by_program(self, run: Run, inputs: list[Tensor]) -> list[Tensor] | None:
        """Return the results of the call again, by its program; None where there is none that runs now."""
        joint = run.way.joint
        if joint is None or is_unusual() or is_dual_level_open():
            return None
        with restore_state(run), self.modes.restore():
            return joint.program.run_plainly(inputs)

    def check_function(self, run: Run, inputs: list[Tensor]) -> None:
        """Run the function again. Raises RuntimeError where it gives other numbers than in the call."""
        expected = self.results_by_program(run, inputs)
        if expected is not None:
            results: list[Tensor] = []
            with restore_state(run), self.modes.restore():
                structure = flatten(self.function(leaves_like(inputs)), results)
            if structure == run.form.structure:  # plain loops may give one tensor twice
                check_results(self.name, expected, results)

    # ---- gradients of gradients

    def higher(self, run: Run, key: Any) -> History:
        """Return the derivative as a function of the tensors among the arguments and the gradients of outputs."""
        pattern, n, form = key[0], run.n_inputs, run.form
        n_arguments = n if self.n_arguments is None else self.n_arguments
        function, modes, name = self.function, self.modes, f"the derivative of {self.name}"

        def derive(tensors: list[Tensor]) -> list[Any]:
            return gradients_of(
                function, tensors[:n], tensors[n:], form, pattern, create_graph=True, modes=modes
            )[1]  # fmt: skip

        if self.written or self.draws:

            def derive_again(tensors: list[Tensor]) -> list[Any]:
                with restore_state(run) as restoration:
                    found = gradients_of(function, tensors[:n], tensors[n:], form, pattern, restoration.end,
                                         create_graph=True, modes=modes)  # fmt: skip
                    return found[1]

            again = History(derive_again, name, self.reasons, "the function has effects", n_arguments, self)
            again.written = list(self.written)
            return again
        derivative: Derivative = run.way.derivatives.setdefault(key, Derivative(*key))
        if derivative.higher is None:
            derivative.higher = History(derive, name, self.reasons, self.refusal, n_arguments, self)
        higher: History = derivative.higher
        return higher

    def call(self, tensors: list[Tensor]) -> Any:
        """Return the result for any tensors: the function runs with leaves in their place, and all is one node."""
        passing = is_unusual() or is_dual_level_open() or describe_grads(tensors) is None
        why = "the thread is observed, or tensors are of another kind" if passing else self.refusal
        found = None if why else self.replay(tensors)
        if found:
            return rebuild(*found)
        if found is False:
            why, passing = "numbers that Python reads differ in each call", True
        try:
            with without_collector():
                return self.run_with_leaves(tensors, why, passing)
        finally:
            program = self.newest()
            if program is not None:
                program.drop_temporaries()

    def note_effects(self, recording: Recording, state: State) -> None:
        """Note what a derivative draws and writes that ran with leaves. state: before that; it keeps what counts.

        What the function does before its backward has been undone. Raises RuntimeError as ``differentiate_once``.
        """
        self.note_use(written_outside(recording), state)
        if state.has_changed():
            self.has_effects = True
            root: CallHistory = self
            source = self.source()
            while source is not None:
                root, source = source, source.source()
            root.usual = f"its {EFFECTS}, and is differentiated"
            source = self.source()
            if source is not None and source.has_effects:
                raise RuntimeError(f"wengert.capture: {root.name} was replayed, but its {AGAIN}")
        if not self.written:
            state.outside = None
        if not self.draws:
            state.random = None

    def differentiate_once(
        self, run: Run, inputs: list[Tensor], given: list[Tensor], pattern: Sequence[bool]
    ) -> list[Tensor | None]:
        """Return gradients of a derivative whose backward has effects. Note [Derivatives of effects]"""
        state = State(self.written, draws=True)
        found = self.differentiate(run, inputs, given, pattern)
        if state.has_changed():
            raise RuntimeError(f"wengert.capture: backward of {self.name}: its {AGAIN}")
        return found

    def leaves_apart(self, tensors: list[Tensor]) -> list[Tensor]:
        """Return leaves in place of tensors, gradients with memory of their own, as a recording asks for: gradients may
        share memory with each other, with an argument, or with a tensor from outside that the function uses.
        """
        n = len(tensors) if self.n_arguments is None else self.n_arguments
        copies = [one if describe_grads([one]) is None else copy_with_strides(one).requires_grad_(one.requires_grad)
                  for one in tensors[n:]]  # fmt: skip
        return leaves_like([*tensors[:n], *copies])

    def run_with_leaves(self, tensors: list[Tensor], why: str, passing: bool) -> Any:
        leaves = leaves_like(tensors) if why else self.leaves_apart(tensors)
        clock, state = graph_clock(), State(self.written, draws=True, generators=self.generators)
        recording = Recording(list(leaves))
        recording.turn = self.turn
        try:
            try:
                if not passing:
                    recording.before = state.memory()
                    recording.start()
                result = self.function(leaves)
            finally:
                recording.stop()
            results: list[Tensor] = []
            structure, result = flatten(result, results), None
            form, _ = form_of(structure, results, recording, clock)
            self.note_effects(recording, state)
            if not why:
                why = recording.refusal or why_not_node(results, recording)
                if not forget_leaves(recording):
                    why = BACKWARD_AND_GRAPH
            return self.settle(recording, results, form, tensors, state, why, passing)
        finally:
            recording.close()


def rebuilt_call(function: Callable[..., Any], structure: Any) -> Callable[[list[Tensor]], Any]:
    """Return a function of the tensors in place of those in the arguments ``(args, kwargs)``, a structure."""

    def call(tensors: list[Tensor]) -> Any:
        args, kwargs = rebuild(structure, tensors)
        return function(*args, **kwargs)

    return call
