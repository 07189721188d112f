"""Gradients that are recorded: in the recording of their call, or in one of a second run of the function."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wengert_core.extend import Tensor

from wengert_replay.history.joint import JointProgram, add_return_point
from wengert_replay.history.node import check_results, differentiate, gradients_of, restore_state
from wengert_replay.history.outside import (
    copy_with_strides,
    effects_behind,
    forget_leaves,
    lies_in,
    unknown_generators,
    written_outside,
)
from wengert_replay.history.runs import Derivative, Joint, Run
from wengert_replay.history.shared_gradients import find_origins
from wengert_replay.making import blocks_in_use
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import call_aside
from wengert_replay.refusal import BACKWARD_AND_GRAPH, OTHER_WRITES, Refusal

if TYPE_CHECKING:
    from wengert_replay.history.histories import History
    from wengert_replay.history.paused import PausedCall


def record_again(
    history: History,
    run: Run,
    derivative: Derivative,
    inputs: list[Tensor],
    given: list[Tensor],
    pattern: Sequence[bool],
) -> list[Tensor | None]:
    """Return gradients by running the function again, and make a program of that."""
    run.twin = None  # there is no replay to compare
    try:
        found, is_eager = run_again(history, run, derivative, history.leaves_apart(inputs), given, pattern)
    finally:
        if derivative.joint is not None:
            derivative.joint.program.drop_temporaries()
    if derivative.refusal and not is_eager:  # backward may write and draw as well, behind what others have since
        return history.differentiate(run, inputs, given, pattern)
    return found


def record_on(
    history: History,
    run: Run,
    derivative: Derivative,
    paused: PausedCall,
    given: list[Tensor],
    pattern: Sequence[bool],
) -> list[Tensor | None]:
    """Return gradients of a call whose recording pauses, and make a program of both."""
    try:
        return run_on(history, run, derivative, paused, given, pattern)
    finally:
        if derivative.joint is not None:
            derivative.joint.program.drop_temporaries()
        else:
            history.may_pause = False
            history.forget_way(run.way)


def run_on(
    history: History,
    run: Run,
    derivative: Derivative,
    paused: PausedCall,
    given: list[Tensor],
    pattern: Sequence[bool],
) -> list[Tensor | None]:
    try:
        copies = [copy_with_strides(one) for one in given]
        found, return_point = paused.go_on(copies, pattern)
        origins, gradients = find_origins(found, copies)
        del found
        with contextlib.suppress(Refusal):
            program = program_with(history, paused.recording, paused.results, gradients, run, return_point)
            keep_joint(history, run, derivative, Joint(program, run.form, origins))
        return origins.for_ends(gradients, given)
    finally:
        paused.recording.close()


def run_again(
    history: History,
    run: Run,
    derivative: Derivative,
    leaves: list[Tensor],
    given: list[Tensor],
    pattern: Sequence[bool],
) -> tuple[list[Tensor | None], bool]:
    """Return the gradients, and whether backward has had the effects of an eager one."""
    copies = [copy_with_strides(one) for one in given]
    recording = Recording([*leaves, *copies])
    recording.turn = history.turn
    return_points: list[int] = []
    alike: list[bool] = []

    def note_return() -> None:
        return_points.append(add_return_point(recording, differentiate.__code__))
        alike.append(call_aside(restoration.end_if_alike))  # which reads the state of generators

    known = run.way.joint, run.way.newest
    expected = history.results_by_program(run, leaves)
    with restore_state(run) as restoration:
        try:
            try:
                recording.start()
                results, found = gradients_of(
                    history.function, leaves, copies, run.form, pattern, note_return, modes=history.modes
                )
            finally:
                recording.stop()
            origins, gradients = find_origins(found, copies)
            del found
            program = program_with(history, recording, results, gradients, run, return_points[0])
            keep_joint(history, run, derivative, Joint(program, run.form, origins))
        except Refusal as refused:
            derivative.refusal = f"gradients of {history.name} are computed as usual: {refused}"
            history.reasons.append(derivative.refusal)
        finally:
            recording.close()
    try:
        check_results(history.name, expected, results)
    except RuntimeError:
        derivative.joint = None
        run.way.joint, run.way.newest = known
        raise
    return origins.for_ends(gradients, given), alike[0]


def program_with(
    history: History,
    recording: Recording,
    results: list[Tensor],
    gradients: list[Tensor],
    run: Run,
    return_point: int,
) -> JointProgram:
    """Return the program of a function and of gradients, of a recording that has stopped. Raises Refusal."""
    why = recording.refusal or effects_behind(recording, return_point)
    if not why and any(not lies_in(one, history.written) for one in written_outside(recording)):
        why = OTHER_WRITES
    if not why and unknown_generators(recording, history.generators):
        why = "the function draws from other generators than before"
    if not why and not forget_leaves(recording):
        why = BACKWARD_AND_GRAPH
    if why:
        raise Refusal(why)
    return make_program(
        recording, [*results, *gradients], run.n_inputs, len(results), return_point, run.form.leaves
    )  # fmt: skip


def keep_joint(history: History, run: Run, derivative: Derivative, joint: Joint) -> None:
    """Let further calls that go the way of this run have a program with these gradients."""
    derivative.joint = run.way.joint = joint
    run.way.newest = derivative
    if run.way not in history.ways:
        history.ways.append(run.way)


def make_program(
    recording: Recording,
    results: list[Tensor],
    n_inputs: int,
    n_results: int,
    return_point: int = -1,
    leaves: Sequence[Tensor] = (),
) -> JointProgram:
    """Return the program of a recording that has stopped, and whose graph nobody has. Raises Refusal.

    leaves: those that get gradients.
    """
    live = blocks_in_use(recording, results, gc.collect)  # the first run may be long ago
    return JointProgram(recording, results, live, n_inputs, n_results, return_point, list(leaves))
