"""Constructs of ``wengert.func`` in a recording: each is run as usual, its body is recorded once, and a loop is noted.

Note [How a construct is recorded]
    The recording is suspended, and the plain loop runs, so that a capture does what an eager call does, Python effects
    of the body included. The first call of the body, and each later one whose carry has other strides, is recorded as a
    program of its own (Body). Then the loop instruction runs beside, into memory of its own: where it gives other
    numbers, as the body depends on Python's state, or where a body cannot be recorded, the recording is refused this
    time, and the next one leaves this construct to the plain loop (``UNROLLED``). With a gradient the plain loop begins
    anew then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import maxsize
from types import TracebackType
from typing import Any, Self

from wengert_core import TABLE, int64
from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine import is_grad_enabled
from wengert_engine.extend import is_dual_level_open

from wengert_replay.arguments import describe_tensors
from wengert_replay.loops.body import bytes_for
from wengert_replay.loops.closures import Surroundings, bits_of, with_own_cells
from wengert_replay.loops.conds import run_cond
from wengert_replay.loops.gradients import Derivation, attach, depend_on_others
from wengert_replay.loops.index_reads import as_plain
from wengert_replay.loops.iterations import (
    Flat,
    Iterations,
    PythonTest,
    geometry_of,
    own_copy,
    same_tensors,
    view_like,
    views_of_operands,
)
from wengert_replay.loops.loop import Aside, Loop, add_loop, make_loop, refuse_once, resume, suspend
from wengert_replay.loops.unrolled import (
    Trial,
    code_of,
    is_unrolled,
    look_first,
    look_on,
    remember,
    source_of,
    trial,
    words_on,
)
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import OUTSIDE_AND_SOURCE, SHARED_PARTS, NoLoop, Refusal

scalar_tensor = TABLE.ops["scalar_tensor"]

OTHER_NUMBERS = "an iteration gives other numbers than the same iteration before: it depends on Python's state"
AMPLE_BYTES = 0x10000
"""Of room for carries that may never be used."""


def run_construct(recording: Recording, construct: str, plain: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """Run a construct inside of a recording, and note a loop. NotImplemented: it is left to the plain loop."""
    if recording.refusal or construct not in CONSTRUCTS or is_dual_level_open():
        return NotImplemented
    return CONSTRUCTS[construct](recording, plain, *as_plain(operands))


def is_loop(recording: Recording, construct: str, key: Any, tensors: Flat) -> bool:
    """Whether a construct may be recorded as a loop on these tensors."""
    if is_unrolled(recording, construct, key) or any(type(one) is not Tensor for one in tensors):
        return False
    return all(describe_tensors([one])[0] is not None for one in tensors) \
        and not any(one.is_inference() for one in tensors)  # fmt: skip


def key_of(function: Any, tensors: Flat) -> Any:
    """Return where a function begins, the geometry of its arguments, and what else tells it from others."""
    needs = is_grad_enabled() and tuple([one.requires_grad for one in tensors])
    return source_of(function), geometry_of(tensors), needs, code_of(function)


class Suspension:
    """A construct that runs while the recording is suspended, and what is known of it."""

    def __init__(self, recording: Recording, construct: str, key: Any) -> None:
        self.recording, self.construct, self.key, self.states = recording, construct, key, rng_states()
        self.loop: Loop | None = None
        self.operands: Flat = []
        self.outputs: Flat = []
        self.why = ""
        self.is_trial = False  # it runs operation by operation first
        self.stopped: NoLoop | None = None  # for this the plain loop is to begin anew

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        stopped = kind is not None and issubclass(kind, NoLoop)
        if isinstance(error, NoLoop):
            self.stopped = error
        if stopped and not isinstance(error, PythonTest):
            set_rng_states(self.states)  # while the recording is suspended, which would hear of it
        resume(self.recording)
        self.is_trial = kind is Trial and self.recording.around is None
        return stopped and (kind is not Trial or self.is_trial)

    def check(self, iterations: Sequence[Iterations], operands: Flat, outputs: Flat, loop: Callable[[], Loop]) -> None:
        """Make a loop, unless a body could not be recorded or the loop gives other numbers than the plain one."""
        self.operands, self.outputs = operands, outputs
        self.why = next((one.refusal for one in iterations if one.refusal), "")
        if not self.why:
            made, first = loop(), iterations[0]
            made.n_empty, made.may_be_empty = first.n_empty, first.endings in ([], [first.first])
            self.why = self.difference(made)
            if not self.why:
                self.loop = made

    def difference(self, loop: Loop) -> str:
        """Return why a loop does not give the numbers of the plain one; "" where it does."""
        now = rng_states()
        set_rng_states(self.states)
        try:
            return "" if loop.agrees() else OTHER_NUMBERS
        except Refusal as refused:  # of a construct in it
            return f"in one of its iterations, {refused}"
        except IndexError:  # Note [Windows have one length] in index_reads.py
            return "a slice by numbers of the loop has another length in another iteration"
        finally:
            set_rng_states(now)

    def finish(self) -> bool:
        """Note the loop, or let this recording be none and the next one record the construct otherwise."""
        if self.loop is not None:
            add_loop(self.recording, self.loop, self.operands, self.outputs)
            return True
        why = self.why or "its gradient cannot be one instruction"
        if not self.recording.outermost().in_trial:
            remember(self.key, why)
        refuse_once(self.recording, words_on(self.construct, why))
        return False


def run_rows(
    recording: Recording, construct: str, key: Any, function: Callable[[Flat], Flat], carry: Flat, rows: Flat,
    reverse: bool, count: int, bounds: list[Any] | None, call: Callable[[Any, Flat, Flat], Flat],
    tests: Iterations | None = None, again: Callable[[Any, Flat, Flat], Flat] | None = None,
) -> Any:  # fmt: skip
    """Run a construct. Returns its results; or NotImplemented.

    function: of carry, rows and, where there are bounds, a number; it gives the next carry and outputs.   call: the
    plain loop, of a function like that, a carry and rows.   tests: of the carry; then ``again`` is the plain loop
    without them.
    """
    n, has_index = len(carry), bounds is not None
    limits = [one for one in bounds or () if isinstance(one, Tensor)]
    is_open = bool(limits) or tests is not None
    needs = [one.requires_grad for one in (*carry, *rows)]
    iterations = Iterations(recording, function, n, [*needs, False] if has_index else needs)
    results: Flat = []
    kept: Flat = []
    steps: Flat = []
    ending: list[bytes] = []
    surroundings: Surroundings | None = None
    same: dict[int, Any] = {}
    repeats: dict[int, int] = {}
    views: dict[int, tuple[int, Any]] = {}
    pairs: list[tuple[int, Any]] = []
    with Suspension(recording, construct, key) as suspension:
        tensors = [one.detach() if one.requires_grad else one for one in (*carry, *rows)]
        with Aside():
            results = call(iterations, tensors[:n], tensors[n:])
        same, repeats = same_tensors(iterations, results, tensors[:n], carry, is_open)
        views, pairs, shares = views_of_operands(iterations, results, tensors, same, repeats, is_open)
        is_refused = iterations.refusal or shares or (tests is not None and tests.refusal)
        look_first(recording, construct, key, [] if is_refused else pairs)
        results = copy_results(iterations, results, shares)
        iterations.finish(results[:n])
        # without an iteration, results would be the carry with its graph
        room = maxsize if iterations.ran and any(iterations.needs) else -1
        ending = bits_of(results[:n]) if any(iterations.gives) else []
        if any(iterations.gives) and not iterations.refusal:
            if len(iterations.bodies) != 1:
                iterations.refusal = "its carry has other strides later, and it has a gradient"
            elif is_open and not iterations.is_settled():
                iterations.refusal = "which of its results have a graph depends on the number of iterations"
            elif depend_on_others(iterations.differentiable):
                iterations.refusal = OUTSIDE_AND_SOURCE
            else:
                room, likes = iterations.ran, iterations.bodies[0].like_inputs[:n]
                if is_open:
                    room = room_for(room, sum(bytes_for(one, 1).numel() for one in likes))
                kept = [bytes_for(one, room) for one in likes]
                steps = [scalar_tensor(iterations.ran, dtype=int64, device="cpu")] if tests else []
                bodies = [*iterations.bodies, *(tests.bodies if tests else [])]
                outside = [one for body in bodies for one in body.outside]
                surroundings = Surroundings(recording, construct, key, [*carry, *rows, *limits, *outside])
        operands, outputs = [*carry, *rows, *limits], [*results, *kept, *steps]
        backwards = [reverse] * (len(rows) + len(results) - n)
        both = [iterations] if tests is None else [iterations, tests]
        suspension.check(both, operands, outputs, lambda: make_loop(
            construct, key[0], tensors[:n], tensors[n:], backwards, iterations.bodies, tests.bodies if tests else [],
            iterations.following, outputs, count, bounds, list(range(len(kept))), int(has_index),
            room if is_open else -1, bool(steps)))  # fmt: skip
    if suspension.is_trial:
        with trial(recording):
            results = (again or call)(function, carry, rows)
        return look_on(recording, construct, key, results, pairs, False)
    closures = iterations.differentiable
    suspension.why = suspension.why or iterations.refusal or (tests.refusal if tests else "")
    is_noted = suspension.finish()
    if suspension.stopped or (not is_noted and any(iterations.gives)):
        return NotImplemented
    if not iterations.ran and any(iterations.needs):
        return carry
    if surroundings:
        bounds = [0, *steps] if tests else bounds
        derivation = Derivation(surroundings, iterations, again or call, reverse, bounds, len(rows), ending, has_index,
                                room if is_open else -1)  # fmt: skip
        results = attach(derivation, carry, rows, closures, [*limits, *steps], kept, results)
    look_on(recording, construct, key, results, pairs if is_noted else [])
    return insert_views(results, [*carry, *rows], same, views, repeats)


def copy_results(iterations: Iterations, results: Flat, shares: bool) -> Flat:
    """Return copies of results, for a loop to write to, or the results where there is none. Raises NoLoop where the
    plain loop is to begin anew, with a graph.   shares: two of them share memory.
    """
    if shares:
        iterations.refusal = iterations.refusal or SHARED_PARTS
    if not iterations.refusal:
        return [own_copy(one) for one in results]
    if any(iterations.gives):
        raise NoLoop
    return results


def insert_views(
    results: Flat, operands: Flat, same: dict[int, Any], views: dict[int, tuple[int, Any]], repeats: dict[int, int]
) -> Flat:
    """Return results, with those of ``same``, ``views`` of operands, and the first of ``repeats`` in their places."""
    found = [view_like(views[i][1], operands[views[i][0]], 0) if i in views else same.get(i, one)
             for i, one in enumerate(results)]  # fmt: skip
    return [found[i if i in same else repeats.get(i, i)] for i in range(len(found))]


def run_scan(
    recording: Recording, plain: Callable[..., Any], step: Any, carry: Flat, xs: Flat, length: int, reverse: bool
) -> Any:
    key = key_of(step.f, [*carry, *xs])
    if not length and suspend(recording):  # the function is called for the shapes of outputs without rows
        try:
            return plain(step, carry, xs, length, reverse)
        finally:
            resume(recording)
    if not length or not is_loop(recording, "scan", key, [*carry, *xs]) or not suspend(recording):
        return NotImplemented
    n = len(carry)

    def function(tensors: Flat) -> Flat:
        following, outputs = step(tensors[:n], tensors[n:])
        return [*following, *outputs]

    def call(function: Any, carry: Flat, xs: Flat) -> Flat:
        def call_step(carry: Flat, rows: Flat) -> tuple[Flat, Flat]:
            found = function([*carry, *rows])
            return found[:n], found[n:]

        last, ys = plain(call_step, carry, xs, length, reverse)
        return [*last, *ys]

    found = run_rows(recording, "scan", key, function, carry, xs, reverse, length, None, call)
    return found if found is NotImplemented else (found[:n], found[n:])


def run_fori(recording: Recording, plain: Callable[..., Any], lower: Any, upper: Any, body: Any, carry: Flat) -> Any:
    bounds = [one if isinstance(one, Tensor) else int(one) for one in (lower, upper)]
    operands = [*carry, *(one for one in bounds if isinstance(one, Tensor))]
    key = key_of(body.function, operands)
    if len(operands) == len(carry) and bounds[0] >= bounds[1]:
        return NotImplemented
    if not is_loop(recording, "fori_loop", key, operands) or not suspend(recording):
        return NotImplemented
    n = len(carry)

    def function(tensors: Flat) -> Flat:
        following: Flat = body(tensors[n], tensors[:n])
        return following

    def call(function: Any, carry: Flat, _rows: Flat) -> Flat:
        last: Flat = plain(lower, upper, lambda index, carry: function([*carry, index]), carry)
        return last

    return run_rows(recording, "fori_loop", key, function, carry, [], False, -1, bounds, call)


def run_while(recording: Recording, plain: Callable[..., Any], test: Any, body: Any, carry: Flat) -> Any:
    key = key_of(body.function, carry)
    if not is_loop(recording, "while_loop", key, carry) or not suspend(recording):
        return NotImplemented
    n = len(carry)
    tests = Iterations(recording, lambda tensors: [test(tensors)], n, [False] * n, is_test=True)
    own_test = with_own_cells(test)

    def call(function: Any, carry: Flat, _rows: Flat) -> Flat:
        last: Flat = plain(lambda carry: tests(carry)[0], function, carry)
        return last

    def again(function: Any, carry: Flat, _rows: Flat) -> Flat:
        last: Flat = plain(own_test, function, carry)
        return last

    found = run_rows(recording, "while_loop", key, body, carry, [], False, -1, None, call, tests, again)
    if found is NotImplemented and tests.answers:
        found = plain(begin_with(tests.answers, test), body, carry)
    return found


def begin_with(answers: list[Any], test: Callable[[Flat], Any]) -> Callable[[Flat], Any]:
    """Return a test that has been asked already, some times."""
    remaining = answers[::-1]
    return lambda carry: remaining.pop() if remaining else test(carry)


def room_for(count: int, nbytes: int) -> int:
    """Return for how many iterations there is room, where another call may have more. nbytes: of a carry."""
    ample = 1 << max(int(1.5 * count), 15).bit_length()
    return ample if ample * nbytes <= AMPLE_BYTES else count + max(count // 4, 1)


CONSTRUCTS: dict[str, Callable[..., Any]] = {
    "scan": run_scan, "fori_loop": run_fori, "while_loop": run_while, "cond": run_cond,
}  # fmt: skip
"""Functions that run each."""
