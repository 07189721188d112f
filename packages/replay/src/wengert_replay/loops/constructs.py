"""Constructs of ``wengert.func`` in a recording: each is run as usual, its body is recorded once, and a loop is noted.

Note [How a construct is recorded]
    The recording pauses, and the plain loop runs, so that a capture does what an eager call does, Python effects of the
    body included. The first call of the body, and each later one whose carry has other strides, is recorded as a
    program of its own (Body). Then the loop instruction runs beside, into memory of its own: where it gives other
    numbers, as the body depends on Python's state, or where a body cannot be recorded, the recording is refused
    this time, and the next one leaves this construct to the plain loop (``UNROLLED``). With a gradient the plain loop
    begins anew then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine import is_grad_enabled
from wengert_engine.extend import is_dual_level_open

from wengert_replay.arguments import describe_tensors
from wengert_replay.loops.closures import bits_of
from wengert_replay.loops.gradients import Derivation, attach, depend_on_others
from wengert_replay.loops.index_reads import as_plain
from wengert_replay.loops.iterations import Flat, Iterations, geometry_of, own_copy
from wengert_replay.loops.loop import Aside, Loop, add_loop, bytes_for, make_loop, refuse_once, resume, suspend
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import NoLoop, Refusal

MOST_UNROLLED = 1000
"""Constructs that are remembered as such that cannot be loops."""
UNROLLED: dict[Any, str] = {}
"""Reasons why a construct is recorded operation by operation, by where its function is and what it is called with."""


def run_construct(recording: Recording, construct: str, plain: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """Run a construct inside of a recording, and note a loop. NotImplemented: it is left to the plain loop."""
    if recording.refusal or construct not in CONSTRUCTS or is_dual_level_open():
        return NotImplemented
    return CONSTRUCTS[construct](recording, plain, *as_plain(operands))


def is_loop(key: Any, tensors: Flat) -> bool:
    """Whether a construct may be recorded as a loop on these tensors."""
    if key in UNROLLED or any(type(one) is not Tensor for one in tensors):
        return False
    return all(describe_tensors([one])[0] is not None for one in tensors) \
        and not any(one.is_inference() for one in tensors)  # fmt: skip


def key_of(function: Any, tensors: Flat) -> Any:
    """Return where a function begins, and the geometry of its arguments."""
    needs = is_grad_enabled() and tuple([one.requires_grad for one in tensors])
    return source_of(function), geometry_of(tensors), needs


def source_of(function: Any) -> str:
    """Return where a function begins, as words that stay."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        return f"{type(function).__module__}.{type(function).__qualname__}"
    return f"{code.co_filename}:{code.co_firstlineno}:{code.co_name}"


class Pause:
    """A construct that runs while the recording pauses, and what is known of it."""

    def __init__(self, recording: Recording, construct: str, key: Any) -> None:
        self.recording, self.construct, self.key, self.states = recording, construct, key, rng_states()
        self.loop: Loop | None = None
        self.operands: Flat = []
        self.outputs: Flat = []
        self.why = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        resume(self.recording)
        if kind is NoLoop:
            set_rng_states(self.states)
            return True
        return False

    def check(self, iterations: Sequence[Iterations], operands: Flat, outputs: Flat, loop: Callable[[], Loop]) -> None:
        """Make a loop, unless a body could not be recorded or the loop gives other numbers than the plain one."""
        self.operands, self.outputs = operands, outputs
        self.why = next((one.refusal for one in iterations if one.refusal), "")
        if not self.why:
            made = loop()
            if self.agrees(made):
                self.loop = made
            else:
                self.why = ("an iteration gives other numbers than the same iteration before: it depends on Python's "
                            "state")  # fmt: skip

    def agrees(self, loop: Loop) -> bool:
        """Whether a loop gives the numbers of the plain one."""
        now = rng_states()
        set_rng_states(self.states)
        try:
            return loop.agrees()
        except Refusal:
            return False
        finally:
            set_rng_states(now)

    def finish(self) -> bool:
        """Note the loop, or let this recording be none and the next one record the construct otherwise."""
        if self.loop is not None:
            add_loop(self.recording, self.loop, self.operands, self.outputs)
            return True
        if len(UNROLLED) >= MOST_UNROLLED:
            UNROLLED.clear()
        UNROLLED[self.key] = self.why or "its gradient cannot be one instruction"
        refuse_once(self.recording, f"func.{self.construct} is recorded operation by operation: {UNROLLED[self.key]}")
        return False


def run_rows(
    recording: Recording, construct: str, key: Any, function: Callable[[Flat], Flat], carry: Flat, rows: Flat,
    reverse: bool, count: int, bounds: list[Any] | None, call: Callable[[Any, Flat, Flat], Flat],
) -> Any:  # fmt: skip
    """Run a construct whose number of iterations is known, or that has bounds. Returns its results; or NotImplemented.

    function: of carry, rows and, where there are bounds, a number; it gives the next carry and outputs.   call: the
    plain loop, of a function like that, a carry and rows.
    """
    n, has_index = len(carry), bounds is not None
    fixed = count
    if bounds is not None and not any(isinstance(one, Tensor) for one in bounds):
        fixed = bounds[1] - bounds[0]
    needs = [one.requires_grad for one in (*carry, *rows)]
    iterations = Iterations(recording, function, n, [*needs, False] if has_index else needs)
    results: Flat = []
    kept: Flat = []
    ending: list[bytes] = []
    with Pause(recording, construct, key) as pause:
        tensors = [one.detach() if one.requires_grad else one for one in (*carry, *rows)]
        with Aside():
            results = call(iterations, tensors[:n], tensors[n:])
        results = [own_copy(one) for one in results]
        iterations.finish(results[:n])
        ending = bits_of(results[:n]) if any(iterations.gives) else []
        if any(iterations.gives) and not iterations.refusal:
            if len(iterations.bodies) != 1 or fixed < 1:
                iterations.refusal = "its carry has other strides later, or bounds are tensors, and it has a gradient"
            elif depend_on_others(iterations.differentiable):
                iterations.refusal = "a tensor from outside is computed from another one that it uses, too"
            else:
                kept = [bytes_for(one, fixed) for one in iterations.bodies[0].like_inputs[:n]]
        operands = [*carry, *rows, *(one for one in bounds or () if isinstance(one, Tensor))]
        backwards = [reverse] * (len(rows) + len(results) - n)
        pause.check([iterations], operands, [*results, *kept], lambda: make_loop(
            construct, key[0], tensors[:n], tensors[n:], backwards, iterations.bodies, [], iterations.following,
            [*results, *kept], count, bounds, list(range(len(kept))), int(has_index)))  # fmt: skip
    closures = iterations.differentiable
    pause.why = pause.why or iterations.refusal
    if not pause.finish():
        return results if results and not any(iterations.gives) else NotImplemented
    if any(iterations.gives):
        derivation = Derivation(construct, key[0], iterations, call, fixed, reverse, bounds, len(rows), ending)
        return attach(derivation, carry, rows, closures, kept, results)
    return results


def run_scan(
    recording: Recording, plain: Callable[..., Any], step: Any, carry: Flat, xs: Flat, length: int, reverse: bool
) -> Any:
    key = key_of(step.f, [*carry, *xs])
    if not length and suspend(recording):  # the function is called for the shapes of outputs without rows
        try:
            return plain(step, carry, xs, length, reverse)
        finally:
            resume(recording)
    if not length or not is_loop(key, [*carry, *xs]) or not suspend(recording):
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
    if not is_loop(key, operands) or not suspend(recording):
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
    if is_grad_enabled() and any(one.requires_grad for one in carry):
        return NotImplemented
    if not is_loop(key, carry) or not suspend(recording):
        return NotImplemented
    needs = [False] * len(carry)
    iterations = Iterations(recording, body, len(carry), needs)
    tests = Iterations(recording, lambda tensors: [test(tensors)], len(carry), needs, is_test=True)
    last: Flat = []
    with Pause(recording, "while_loop", key) as pause:
        with Aside():
            last = plain(lambda carry: tests(carry)[0], iterations, carry)
        last = [own_copy(one) for one in last]
        iterations.finish(last)
        if any(iterations.gives) and not iterations.refusal:
            iterations.refusal = "it has a gradient"
        pause.check(
            [iterations, tests],
            carry,
            last,
            lambda: make_loop(
                "while_loop", key[0], carry, [], [], iterations.bodies, tests.bodies, iterations.following, last
            ),
        )
    pause.why = pause.why or iterations.refusal or tests.refusal
    if not pause.finish():
        return last if last and not any(iterations.gives) else NotImplemented
    return last


CONSTRUCTS: dict[str, Callable[..., Any]] = {"scan": run_scan, "fori_loop": run_fori, "while_loop": run_while}
"""Functions that run each."""
