"""Gradients that are recorded: in the recording of their call, or in one of a second run of the function."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wengert_core.extend import Tensor

from wengert_replay.history.joint import JointProgram, add_pause
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
from wengert_replay.refusal import Refusal

if TYPE_CHECKING:
    from wengert_replay.history.histories import History


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
    history: History, run: Run, derivative: Derivative, given: list[Tensor], pattern: Sequence[bool]
) -> list[Tensor | None]:
    """Return gradients of a call whose recording pauses, and make a program of both."""
    try:
        return run_on(history, run, derivative, given, pattern)
    finally:
        if derivative.joint is not None:
            derivative.joint.program.drop_temporaries()
        else:
            history.may_pause = False
            history.forget_way(run.way)


def run_on(
    history: History, run: Run, derivative: Derivative, given: list[Tensor], pattern: Sequence[bool]
) -> list[Tensor | None]:
    paused, history.paused = history.paused, None
    assert paused is not None
    try:
        copies = [copy_with_strides(one) for one in given]
        found, pause = paused.go_on(copies, pattern)
        origins, gradients = find_origins(found, copies)
        del found
        with contextlib.suppress(Refusal):
            program = program_with(history, paused.recording, paused.results, gradients, run, pause)
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
    pauses: list[int] = []
    alike: list[bool] = []

    def pause() -> None:
        pauses.append(add_pause(recording, differentiate.__code__))
        alike.append(recording.step_aside(restoration.end_if_alike))  # which looks at generators

    known = run.way.joint, run.way.newest
    expected = history.results_by_program(run, leaves)
    with restore_state(run) as restoration:
        try:
            recording.start()
            try:
                results, found = gradients_of(
                    history.function, leaves, copies, run.form, pattern, pause, modes=history.modes
                )
            finally:
                recording.stop()
            origins, gradients = find_origins(found, copies)
            del found
            program = program_with(history, recording, results, gradients, run, pauses[0])
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
    pause: int,
) -> JointProgram:
    """Return the program of a function and of gradients, of a recording that has stopped. Raises Refusal."""
    why = recording.refusal or effects_behind(recording, pause)
    if not why and any(not lies_in(one, history.written) for one in written_outside(recording)):
        why = "the function writes to other tensors than before"
    if not why and unknown_generators(recording, history.generators):
        why = "the function draws from other generators than before"
    if not why and not forget_leaves(recording):
        why = "the function runs backward, and a result has a graph"
    if why:
        raise Refusal(why)
    return make_program(recording, [*results, *gradients], run.n_inputs, len(results), pause, run.form.leaves)


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
    pause: int = -1,
    leaves: Sequence[Tensor] = (),
) -> JointProgram:
    """Return the program of a recording that has stopped, and whose graph nobody has. Raises Refusal.

    leaves: those that get gradients.
    """
    live = blocks_in_use(recording, results, gc.collect)  # the first run may be long ago
    return JointProgram(recording, results, live, n_inputs, n_results, pause, list(leaves))
