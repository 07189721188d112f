"""Runs of loops and conds of a program from a file: as instructions of a recording, or in Python.

Note [A loop from a file]
    The first call of a program from a file is recorded, and a loop in it becomes an instruction as that of the function
    did: its bodies are recorded, each in the first iteration that has it, and the instruction runs all iterations.
    Where nothing is recorded, iterations run one by one. A call in which a loop cannot do what it did in the recording,
    as there is no room for more iterations whose carry is kept, ends with an error, as at a guard.
"""

from __future__ import annotations

from typing import Any

import wengert_core
from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine.extend import current_tracer, is_dual_level_open

from wengert_replay.exporting.bodies import PortableBody, has_geometry, has_rows
from wengert_replay.exporting.errors import ProgramFileError, ProgramGuardError
from wengert_replay.exporting.pseudo_ops import ANY_ROOM
from wengert_replay.exporting.tensors import Geometry
from wengert_replay.history.outside import copy_with_strides
from wengert_replay.loops.body import Body, rows_of_bytes
from wengert_replay.loops.choice import make_choice
from wengert_replay.loops.iterations import number, own_copy
from wengert_replay.loops.loop import (
    Aside,
    add_loop,
    make_body,
    make_loop,
    nest,
    resume,
    run_loop,
    suspend,
)
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import NoLoop, Refusal

Flat = list[Any]
NO_ROOM = "has no iteration, or more than there was room for when the program was recorded"
MORE = "goes on longer than in the recording, with a carry of other strides"
NONE = "has an iteration, and had none when the program was recorded"


class PortableLoop:
    """A loop from a file. Its parts are those of ``Loop`` (loops/loop.pyx), checked by loop_steps.py."""

    following: list[int]
    backwards: list[bool]
    count: int
    room: int
    index_step: int
    keeps: bool
    counts: bool
    n_carry: int
    n_rows: int
    n_into: int
    n_outputs: int

    def __init__(
        self, name: str, line: str, bodies: list[PortableBody], tests: list[PortableBody], kinds: list[Geometry]
    ) -> None:
        self.name, self.line, self.bodies, self.tests, self.kinds = name, line, bodies, tests, kinds

    @property
    def all_bodies(self) -> list[PortableBody]:
        """Its bodies, and those of its test."""
        return [*self.bodies, *self.tests]

    @property
    def writes(self) -> bool:
        """Whether a body may write to a tensor that was there before, or draw random numbers."""
        return any(body.writes for body in self.all_bodies)

    @property
    def stops(self) -> bool:
        """Whether a call may end here, where the recording went on."""
        return not self.bodies or self.room >= 0 or -1 in self.following

    def __call__(self, carry: Flat, rows: Flat, bounds: Flat | None, into: Flat, outside: list[Flat]) -> Flat:
        """Return its results. Raises what operations raise, ProgramFileError, and ProgramGuardError."""
        self.check(carry, rows, bounds, into)
        run = Run(self, carry, rows, bounds, into, outside)
        recording = recording_for([*(one for one in carry if one is not None), *rows, *into])
        return run.run() if recording is None else run.record(recording)

    def check(self, carry: Flat, rows: Flat, bounds: Flat | None, into: Flat) -> None:
        """Raise ProgramFileError for tensors that the loop was not made for."""
        first: list[Geometry | None] = next((body.inputs for body in self.all_bodies), [])
        fits = [one is None or has_geometry(one, kind) for one, kind in zip(carry, first, strict=False) if kind]
        fits += [one is None or (one.dtype is kind.dtype and tuple(one.shape) == kind.shape)
                 for one, kind in zip(carry, () if first else self.kinds, strict=False)]  # fmt: skip
        for body in self.bodies:
            fits += [has_rows(one, kind) for one, kind in zip(rows, body.inputs[self.n_carry :], strict=False) if kind]
        fits += map(has_geometry, into, self.kinds[len(self.kinds) - self.n_into :])
        for one in bounds or ():
            is_whole = isinstance(one, int) or not (one.dtype.is_floating_point or one.dtype.is_complex)
            fits.append(is_whole and (isinstance(one, int) or one.numel() == 1))
        if not all(fits):
            raise ProgramFileError(f"{self.words} gets tensors that its bodies are not made for")

    @property
    def words(self) -> str:
        """The name and the line, for messages."""
        return f"{self.name} ({self.line})" if self.line else self.name

    def refusal(self, why: str) -> ProgramGuardError:
        """Return the error of a call that the recording has no iterations for."""
        return ProgramGuardError(f"{self.words} {why}: a file holds no Python function to go on with")


class Run:
    """One run of a loop: its tensors."""

    def __init__(
        self, loop: PortableLoop, carry: Flat, rows: Flat, bounds: Flat | None, into: Flat, outside: list[Flat]
    ) -> None:
        self.loop, self.carry, self.rows, self.bounds, self.into = loop, carry, rows, bounds, into
        n = len(loop.bodies)
        self.outside, self.outside_of_tests = outside[:n], outside[n:]
        self.lower, self.count = 0, loop.count  # of iterations; -1: a test decides

    def begin(self) -> None:
        """Read the bounds. Raises ProgramGuardError."""
        loop = self.loop
        if self.bounds is not None:
            first, last = (int(one) for one in self.bounds)
            self.lower, self.count = first if loop.index_step > 0 else last - 1, max(last - first, 0)
        if loop.room >= 0 and not loop.tests and not 0 < self.count <= loop.room:
            raise loop.refusal(NO_ROOM)

    def inputs(self, carry: Flat, at: int) -> Flat:
        """Return the arguments of an iteration."""
        loop = self.loop
        rows = [one.select(0, self.count - 1 - at if backwards else at)
                for one, backwards in zip(self.rows, loop.backwards, strict=False)]  # fmt: skip
        if not loop.index_step:
            return [*carry, *rows]
        index = wengert_core.tensor(self.lower + loop.index_step * at, dtype=wengert_core.int64)
        return [*carry, *rows, index]

    def outputs(self) -> Flat:
        """Return room for the results."""
        kinds = self.loop.kinds[: len(self.loop.kinds) - self.loop.n_into]
        made = [wengert_core.empty_strided(kind.shape, kind.strides, dtype=kind.dtype) for kind in kinds]
        return [*made, *self.into]

    # ---- one by one

    def run(self) -> Flat:
        """Return the results, by iterations one by one."""
        self.begin()
        loop, outputs, carry = self.loop, self.outputs(), self.carry
        n, at, current = loop.n_carry, 0, 0
        while self.goes_on(at, current, carry):
            if current < 0 or not loop.bodies:
                raise loop.refusal(MORE if loop.bodies else NONE)
            body = loop.bodies[current]
            if loop.keeps and loop.room != ANY_ROOM:
                self.keep(outputs[n + loop.n_outputs :], carry, at)
            results = body.run(self.inputs(carry, at), self.outside[current])
            for i, backwards in enumerate(loop.backwards[loop.n_rows :], n):
                outputs[i].select(0, self.count - 1 - at if backwards else at).copy_(results[i])
            carry, current, at = results[:n], loop.following[current], at + 1
        if loop.room >= 0 and at == 0:
            raise loop.refusal(NO_ROOM)
        for target, one in zip(outputs, carry, strict=False):
            if (0 if one is None else one.numel()) != target.numel():
                raise loop.refusal("ends with gradients of other tensors than in the recording")
            if one is not None:
                target.copy_(one)
        if loop.counts:
            outputs[-1].fill_(at)
        return outputs

    def goes_on(self, at: int, current: int, carry: Flat) -> bool:
        """Return whether there is another iteration."""
        loop = self.loop
        if not loop.tests:
            return at < self.count
        number = current if current >= 0 else len(loop.bodies)
        if number >= len(loop.tests):
            return True
        (holds,) = loop.tests[number].run(carry, self.outside_of_tests[number])
        return bool(holds)

    def keep(self, kept: Flat, carry: Flat, at: int) -> None:
        """Keep the carry of an iteration."""
        if 0 <= self.loop.room <= at:
            raise self.loop.refusal(NO_ROOM)
        for target, one in zip(kept, carry, strict=False):
            if one.numel():
                rows_of_bytes(target, one, at + 1).select(0, at).copy_(one)

    # ---- as an instruction

    def record(self, recording: Recording) -> Flat:
        """Return the results of an instruction, which a recording gets. It is suspended meanwhile."""
        loop, states = self.loop, rng_states()
        try:
            self.begin()
            blocks = recording.live_blocks()
            if any(one.numel() and one.untyped_storage().data_ptr() not in blocks for one in self.into):
                raise ProgramFileError(f"{loop.words} writes to a tensor that the program has not made")
            try:
                with Aside():
                    bodies, tests, following = self.record_bodies(recording)
            except (Refusal, NoLoop) as error:
                raise ProgramFileError(f"a body of {loop.words} does what no recording has: {error}") from None
            if loop.room >= 0 and not bodies:
                raise loop.refusal(NO_ROOM)
            set_rng_states(states)
            outputs = self.outputs()
            carry = [wengert_core.empty(0) if one is None else one for one in self.carry]
            made = make_loop(
                loop.name, loop.line, carry, self.rows, list(loop.backwards), bodies, tests, following, outputs,
                loop.count, self.bounds, list(range(loop.n_carry)) if loop.keeps else None, loop.index_step, loop.room,
                loop.counts, loop.n_into,
            )  # fmt: skip
            made.drops = loop.room == ANY_ROOM
            try:
                run_loop(made)
            except Refusal:
                raise loop.refusal(NO_ROOM if loop.room >= 0 else MORE) from None
        finally:
            resume(recording)
        add_loop(recording, made, [one for one in self.carry if one is not None], outputs)
        return outputs

    def record_bodies(self, recording: Recording) -> tuple[list[Body], list[Body], list[int]]:
        """Return the bodies of iterations, those of tests, and the number of the body behind each: those that this run
        has, and a test more where no body goes on. Raises Refusal and NoLoop.
        """
        loop, carry = self.loop, self.carry
        bodies: list[Body] = []
        tests: list[Body] = []
        known: dict[int, int] = {}
        current = 0
        while current not in known:
            number = current if current >= 0 else len(loop.bodies)
            goes_on = current >= 0 and (bool(loop.tests) or len(bodies) < self.count)
            if number < len(loop.tests):
                test, (holds,) = record_body(recording, loop.tests[number], carry, self.outside_of_tests[number])
                tests.append(test)
                goes_on = goes_on and bool(holds)
            if not goes_on:
                if not bodies and loop.bodies:
                    self.record_ahead(recording, bodies, known)
                break
            if not loop.bodies:
                raise loop.refusal(NONE)
            inputs = self.inputs(carry, len(bodies))
            known[current] = len(bodies)
            body, results = record_body(recording, loop.bodies[current], inputs, self.outside[current])
            bodies.append(body)
            carry, current = results[: loop.n_carry], loop.following[current]
        return bodies, tests, self.successors(known)

    def record_ahead(self, recording: Recording, bodies: list[Body], known: dict[int, int]) -> None:
        """Record the first body of a loop that has no iteration now, and may have one in another iteration of a loop
        around it. Nothing where that raises an error, as it may for numbers that no iteration has.
        """
        try:
            bodies.append(record_body(recording, self.loop.bodies[0], self.inputs(self.carry, 0), self.outside[0])[0])
            known[0] = 0
        except (RuntimeError, ValueError, IndexError, ArithmeticError):
            bodies.clear()

    def successors(self, known: dict[int, int]) -> list[int]:
        """Return the number of the body behind each. known: numbers of recorded bodies by those in the file."""
        return [known.get(self.loop.following[one], -1) for one in known]


class PortableChoice:
    """A cond from a file: two bodies without arguments, the first for a number that is not 0."""

    def __init__(self, name: str, line: str, bodies: list[PortableBody], kinds: list[Geometry]) -> None:
        self.name, self.line, self.all_bodies, self.kinds = name, line, bodies, kinds

    @property
    def writes(self) -> bool:
        """Whether a body may write to a tensor that was there before, or draw random numbers."""
        return any(body.writes for body in self.all_bodies)

    def __call__(self, predicate: Tensor, outside: list[Flat]) -> Flat:
        """Return its results. Raises what operations raise, and ProgramFileError."""
        if predicate.numel() != 1:
            raise ProgramFileError(f"the predicate of {self.name} ({self.line}) is no single number")
        recording = recording_for([predicate])
        if recording is not None:
            found = self.record(recording, predicate, outside)
            if found is not None:
                return found
        first = 0 if bool(predicate) else 1
        return self.all_bodies[first].run([], outside[first])

    def record(self, recording: Recording, predicate: Tensor, outside: list[Flat]) -> Flat | None:
        """Note a choice in a recording, which is suspended, and return its results. None where the body that is not
        chosen raises an error: the predicate is a guard then.
        """
        first = 0 if bool(predicate) else 1
        before = rng_states()
        try:
            with Aside():
                chosen, results = record_body(recording, self.all_bodies[first], [], outside[first])
            outputs, after = [own_copy(one) for one in results], rng_states()
            try:
                with Aside():
                    other, _ = record_body(recording, self.all_bodies[1 - first], [], outside[1 - first])
            except ProgramFileError:
                raise
            except (RuntimeError, ValueError, IndexError, ArithmeticError):
                set_rng_states(before)
                return None
            set_rng_states(after)
            bodies = [chosen, other] if first == 0 else [other, chosen]
            choice = make_choice(self.name, self.line, predicate, bodies, outputs)
        except (Refusal, NoLoop) as error:
            raise ProgramFileError(f"a body of {self.name} does what no recording has: {error}") from None
        finally:
            resume(recording)
        add_loop(recording, choice, [predicate], outputs)
        return outputs


def recording_for(tensors: Flat) -> Recording | None:
    """Return this thread's recording, which is suspended now; None where a loop on these tensors is no instruction."""
    recording = current_tracer()
    if not isinstance(recording, Recording) or recording.refusal is not None or is_dual_level_open():
        return None
    if any(type(one) is not Tensor or one.is_inference() for one in tensors) or not suspend(recording):
        return None
    return recording


def record_body(recording: Recording, body: PortableBody, inputs: Flat, outside: Flat) -> tuple[Body, Flat]:
    """Return a body in a recording that is suspended, and its results. Raises Refusal and NoLoop."""
    positions, present = number([None if one is None else copy_with_strides(one) for one in inputs])
    arguments = [None if position is None else present[position] for position in positions]
    own = Recording(present)
    nest(own, recording, is_trial=True)  # what would write to a tensor from outside is stopped before
    try:
        own.start()
        results = body.run(arguments, outside)
        own.stop()
        result_positions, found = number(results)
        return make_body(own, recording, found, positions, result_positions, in_place=not inputs), results
    finally:
        own.stop()
        own.close()
