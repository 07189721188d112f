"""Gradients of a loop: one node, whose backward is a loop too.

Note [Backward of a loop]
    The body of the backward loop runs the body again for the carry that was kept, and differentiates it. Its carry are
    the gradients of the carry, and sums of gradients for tensors from outside: a sum goes into an iteration as the
    gradient of one more use, the last one, so that terms are added in the order of the engine. So does the gradient of
    a row that is the carry itself, into the iteration behind it; the first iteration, which has none behind it, is a
    loop of its own then. So are the first iterations where a loop in the body has none. A gradient that is not
    there yet, such as that of the last carry where nobody uses it, is none and not 0: iterations with other gradients
    have another body.
    Where the gradient itself is to be differentiated, or no recording runs, the plain loop runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wengert_core import TABLE, int64
from wengert_core.extend import Tensor
from wengert_engine import Function, enable_grad, grad, is_grad_enabled
from wengert_engine.extend import current_tracer

from wengert_replay.graphs import walk
from wengert_replay.history.outside import copy_with_strides
from wengert_replay.history.states import WithoutHooks
from wengert_replay.loops.body import Body, rows_of_bytes
from wengert_replay.loops.closures import Results, Surroundings, check_bits, with_own_cells
from wengert_replay.loops.index_reads import with_numbers
from wengert_replay.loops.iterations import MOST_BODIES, Flat, Iterations, geometry_of, number
from wengert_replay.loops.loop import (
    Aside,
    Loop,
    add_loop,
    make_body,
    make_loop,
    nest,
    resume,
    run_loop,
    suspend,
)
from wengert_replay.loops.plain_gradients import differentiate
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import end_watch, number_of
from wengert_replay.refusal import GRADIENT_STRIDES, RANDOM_BACKWARD, NoLoop, Refusal

empty, empty_strided = TABLE.ops["empty"], TABLE.ops["empty_strided"]
scalar_tensor, zeros_like = TABLE.ops["scalar_tensor"], TABLE.ops["zeros_like"]


class Derivation:
    """Facts that backward of a loop needs beside tensors."""

    def __init__(
        self, surroundings: Surroundings, iterations: Iterations, call: Callable[[Any, Flat, Flat], Flat],
        reverse: bool, bounds: list[Any] | None, n_rows: int, ending: list[bytes], has_index: bool, room: int,
    ) -> None:  # fmt: skip
        """ending: the bits of the last carry.   room: iterations whose carry can be kept, where another call may have
        another number of them; otherwise -1.   outputs: the results that have a graph.
        """
        self.surroundings, self.construct, self.source = surroundings, surroundings.construct, surroundings.key[0]
        self.call = call
        self.function = with_own_cells(iterations.function)
        self.ending = ending
        self.count, self.reverse, self.room = iterations.ran, reverse, room
        self.bounds = None if bounds is None else [None if isinstance(one, Tensor) else one for one in bounds]
        self.n_limits, self.has_index = (self.bounds or []).count(None), has_index
        self.n_carry, self.n_rows = iterations.n_carry, n_rows
        self.needs, self.gives = iterations.needs[: iterations.n_carry + n_rows], iterations.gives
        self.outputs = [i for i, gives in enumerate([*iterations.ending, *self.gives[self.n_carry :]]) if gives]
        self.alike, self.n_empty = iterations.alike, iterations.n_empty
        self.like = iterations.bodies[0].like_inputs[: iterations.n_carry]
        self.ends: list[int] = []  # the arguments that get gradients
        self.results = Results([])

    def check(self, results: Flat) -> None:
        """Raise RuntimeError unless the last carry is what it was in the run before; suspend a recording meanwhile."""
        tracer = current_tracer()
        recording = tracer if isinstance(tracer, Recording) and suspend(tracer) else None
        try:
            check_bits(self.construct, self.source, self.ending, results[: self.n_carry])
        finally:
            if recording is not None:
                resume(recording)


class LoopNode(Function):
    """The node of a loop."""

    _inside_transforms = True
    _skips_none = True

    @staticmethod
    def forward(
        ctx: Any, derivation: Derivation, saved: tuple[Tensor, ...], outputs: tuple[Tensor, ...], *_ends: Tensor
    ) -> Any:
        ctx.derivation = derivation
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*saved)
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None, None, None, *gradients_of(ctx, grads, gradients))


def gradients_of(ctx: Any, grads: Sequence[Any], function: Callable[[Any, Flat, Sequence[Any]], Flat]) -> Flat:
    """Return the gradients of a construct by a function. Note [What a construct has read may be written to]"""
    surroundings = ctx.derivation.surroundings
    if ctx.derivation.results.were_overwritten():
        surroundings.remember("its results are written to by .data before backward")
    if not surroundings.were_written():
        check_results(ctx, grads, function)
        return function(ctx.derivation, list(ctx.saved_tensors), grads)
    surroundings.go_back()
    try:
        return function(ctx.derivation, list(ctx.saved_tensors), grads)
    finally:
        surroundings.go_on()


def check_results(ctx: Any, grads: Sequence[Any], function: Callable[[Any, Flat, Sequence[Any]], Flat]) -> None:
    """Raise RuntimeError where an eager call would, as a result was written to, before a gradient is recorded.

    Note [Results of a construct may be written to]
    """
    tracer = current_tracer()
    if not isinstance(tracer, Recording) or is_grad_enabled() or not ctx.derivation.results.were_written() \
            or not suspend(tracer):  # fmt: skip
        return
    try:
        with Aside():
            function(ctx.derivation, list(ctx.saved_tensors), grads)
    finally:
        resume(tracer)


def attach(
    derivation: Derivation, carry: Flat, rows: Flat, closures: Flat, limits: Flat, kept: Flat, results: Flat
) -> Flat:
    """Return the results of a loop as those of a node. limits: bounds that are tensors."""
    arguments = [*carry, *rows]
    derivation.ends = [i for i, one in enumerate(arguments) if one.requires_grad]
    numbers = derivation.outputs
    if not numbers:
        return results
    made = LoopNode.apply(derivation, (*arguments, *closures, *limits, *kept), tuple([results[i] for i in numbers]),
                          *[arguments[i] for i in derivation.ends], *closures)  # fmt: skip
    found = dict(zip(numbers, made, strict=True))
    results = [found.get(i, one) for i, one in enumerate(results)]
    derivation.results = Results(results)
    return results


def depend_on_others(tensors: Flat) -> bool:
    """Whether one of some tensors is computed from another one: gradients for both would count a way twice."""
    nodes = {id(one.grad_fn) for one in tensors if one.grad_fn is not None}
    roots = [node for one in tensors if one.grad_fn is not None for node, _ in one.grad_fn.next_functions]
    return any(id(node) in nodes or (leaf is not None and any(leaf is one for one in tensors))
               for node, leaf in walk(roots))  # fmt: skip


def gradients(derivation: Derivation, saved: Flat, grads: Sequence[Any]) -> Flat:
    """Return the gradients for arguments that require them, and for tensors from outside."""
    n, n_arguments = derivation.n_carry, derivation.n_carry + derivation.n_rows
    arguments, kept = saved[:n_arguments], saved[len(saved) - n :]
    first = len(saved) - n - derivation.n_limits
    closures, limits = saved[n_arguments:first], saved[first : len(saved) - n]
    cotangents: Flat = [None] * len(derivation.gives)
    for i, one in zip(derivation.outputs, grads, strict=True):
        cotangents[i] = one
    tracer = current_tracer()
    if isinstance(tracer, Recording) and tracer.refusal is None and not is_grad_enabled():
        backward = BackwardLoop(tracer, derivation, arguments, closures, limits, kept, cotangents)
        found = backward.record() if suspend(tracer) else None
        if found is not None:
            return found
    return differentiate(derivation, arguments, closures, cotangents)


class Rows(NamedTuple):
    """A tensor whose rows an iteration gets."""

    tensor: Any
    backwards: bool
    """The row has the number of the forward iteration; otherwise rows are in the order of the backward ones."""
    shift: int = 0
    """The row is that of so many forward iterations before."""

    def part(self, first: int, end: int, count: int) -> Any:
        """Return the rows for some of the forward iterations."""
        start = first if self.backwards else count - end
        return self.tensor.narrow(0, start - self.shift if self.backwards else start + self.shift, end - first)


class BackwardLoop:
    """The backward of a loop while it is recorded.

    slots: gradients of the carry, then sums of gradients of tensors from outside; None where there is none.
    """

    def __init__(
        self, recording: Recording, derivation: Derivation, arguments: Flat, closures: Flat, limits: Flat, kept: Flat,
        cotangents: Flat,
    ) -> None:  # fmt: skip
        remaining = iter(limits)
        self.bounds: list[Any] | None = None
        if derivation.bounds is not None:
            self.bounds = [next(remaining) if one is None else one for one in derivation.bounds]
        self.recording, self.derivation, self.closures = recording, derivation, closures
        n, self.n_slots = derivation.n_carry, derivation.n_carry + len(closures)
        count, forward = derivation.count, not derivation.reverse
        given = [i for i in range(n, len(cotangents)) if cotangents[i] is not None]
        self.seeds = [i for i in given if i in derivation.alike]
        self.given = [i for i in given if i not in derivation.alike]
        self.slots: Flat = [*cotangents[:n], *[None] * len(closures)]
        for i in reversed(self.seeds):  # what was stacked last comes first
            last, k = cotangents[i].select(0, count - 1 if forward else 0), derivation.alike[i]
            self.slots[k] = last if self.slots[k] is None else self.slots[k] + last
        self.rows = [*(Rows(rows_of_bytes(one, like, max(count, derivation.room)), True) for one, like in
                       zip(kept, derivation.like, strict=True)),
                     *(Rows(one.detach(), forward) for one in arguments[n:]),
                     *(Rows(cotangents[i], forward) for i in self.given)]  # fmt: skip
        self.seed_rows = [Rows(cotangents[i], forward, 1) for i in self.seeds]
        self.operands = [one for one in (*self.slots, *limits, *kept, *arguments[n:], *(cotangents[i] for i in given))
                         if one is not None]  # fmt: skip
        self.wanted_rows = [i for i in range(derivation.n_rows) if derivation.needs[n + i]]
        self.has_row_grad = [False] * len(self.wanted_rows)
        self.row_grads = [Rows(arguments[n + i].new_empty(tuple(arguments[n + i].shape)), forward)
                          for i in self.wanted_rows]  # fmt: skip

    def record(self) -> Flat | None:
        """Note the loop, while the recording is suspended, and return the gradients; None where it cannot be a loop."""
        count = self.derivation.count
        first = 1 if self.seeds else self.derivation.n_empty if self.derivation.n_empty < count else 0
        try:
            loops = [self.record_part(first, count, self.seed_rows)] if 0 < first < count else []
            loops.append(self.record_part(0, first or count, []))
        except (Refusal, NoLoop):
            resume(self.recording)
            return None
        except BaseException:
            resume(self.recording)
            raise
        resume(self.recording)
        for loop, outputs in loops:
            add_loop(self.recording, loop, self.operands, outputs)
            self.operands = self.operands + [one for one in outputs if one.numel()]
        n = self.derivation.n_carry
        by_argument = dict(enumerate(self.slots[:n]))
        by_argument.update({n + i: rows.tensor if has_grad else None for i, rows, has_grad in
                            zip(self.wanted_rows, self.row_grads, self.has_row_grad, strict=True)})  # fmt: skip
        return [*(by_argument[i] for i in self.derivation.ends), *self.slots[n:]]

    def record_part(self, first: int, end: int, seeds: list[Rows]) -> tuple[Loop, Flat]:
        """Return the loop over some of the forward iterations, and its outputs. It has run then."""
        derivation, count = self.derivation, self.derivation.count
        bounds = self.bounds_of(first, end)
        start = [empty(0, device="cpu") if one is None else one for one in self.slots]
        used = [*self.rows, *seeds]
        rows = [one.part(first, end, count) for one in used]
        backwards = [one.backwards for one in (*used, *self.row_grads)]
        part = Part(self, rows, backwards, end, len(seeds), bounds)
        with Aside():
            part.record_bodies(end - first)
        outputs = [*part.make_outputs(end - first), *(one.part(first, end, count) for one in self.row_grads)]
        room = derivation.room - first if first and derivation.room >= 0 else -1  # one iteration at least
        if derivation.room >= 0:
            rows = [one.tensor.narrow(0, first, one.tensor.shape[0] - first) for one in used]
        loop = make_loop(f"{derivation.construct}_backward", derivation.source, start, rows, backwards, part.bodies, [],
                         part.following, outputs, -1 if bounds else end - first, bounds, None,
                         -1 if derivation.has_index else 0, room, n_into=len(self.row_grads))  # fmt: skip
        run_loop(loop)
        self.slots = [one if like is not None else None for one, like in
                      zip(outputs, part.last_slots, strict=False)]  # fmt: skip
        return loop, outputs

    def bounds_of(self, first: int, end: int) -> list[Any] | None:
        """Return the bounds of the range that some of the forward iterations are. Raises Refusal."""
        if self.bounds is None or (first == 0 and end == self.derivation.count):
            return self.bounds
        lower, upper = self.bounds
        if isinstance(lower, Tensor):
            raise Refusal("a loop in its first iterations has none, and its range has a tensor as its lower bound")
        return [lower + first, upper if end == self.derivation.count else lower + end]


class Part:
    """Bodies for some of the forward iterations, the last of them first."""

    def __init__(
        self, whole: BackwardLoop, rows: Flat, backwards: list[bool], end: int, n_seeds: int, bounds: list[Any] | None
    ) -> None:  # fmt: skip
        self.bounds = bounds
        self.whole, self.derivation, self.rows, self.backwards = whole, whole.derivation, rows, backwards
        self.end, self.n_seeds, self.n_slots, self.slots = end, n_seeds, whole.n_slots, list(whole.slots)
        self.bodies: list[Body] = []
        self.following: list[int] = []
        self.last_slots: Flat = []
        self.ending: Flat = []  # the last carry, until it has been compared

    def record_bodies(self, count: int) -> None:
        """Record the body of each iteration whose gradients are others than before, until there is no new one."""
        numbers: dict[Any, int] = {}
        for iteration in range(count):
            key = geometry_of(self.slots)
            if key in numbers:
                self.following[-1] = numbers[key]
                return
            if len(self.bodies) == MOST_BODIES:
                raise Refusal(GRADIENT_STRIDES)
            if self.bodies:
                self.following[-1] = len(self.bodies)
            numbers[key] = len(self.bodies)
            self.record_body(iteration)
        self.following[-1] = numbers.get(geometry_of(self.slots), -1)

    def record_body(self, iteration: int) -> None:
        rows = [one.select(0, len(one) - 1 - iteration if backwards else iteration)
                for one, backwards in zip(self.rows, self.backwards, strict=False)]  # fmt: skip
        if self.derivation.has_index and self.bounds:
            last = self.bounds[1]
            end = number_of(last) if isinstance(last, Tensor) else last
            rows.append(scalar_tensor(end - 1 - iteration, dtype=int64, device="cpu"))
        tensors = [None if one is None else copy_with_strides(one) for one in (*self.slots, *rows)]
        positions, present = number(tensors)
        recording = Recording(present)
        nest(recording, self.whole.recording, ends_outside=True)  # gradients of tensors that have a history
        try:
            recording.start()
            results = self.pull(tensors[: self.n_slots], tensors[self.n_slots :],
                                self.end == self.derivation.count and iteration == 0)  # fmt: skip
        except BaseException:
            recording.stop()
            recording.close()
            raise
        recording.stop()
        if self.ending:
            self.derivation.check(self.ending)
            self.ending = []
        try:
            if end_watch(recording, results[: self.n_slots]):
                raise Refusal("it keeps rows that it reads")
            result_positions, present = number(results)
            body = make_body(recording, self.whole.recording, present, positions, result_positions, self.n_slots)
            if body.generators() or body.all_states():
                raise Refusal(RANDOM_BACKWARD)
        finally:
            recording.close()
        self.bodies.append(body)
        self.following.append(-1)
        self.slots = results[: self.n_slots]

    def pull(self, slots: Flat, rows: Flat, is_last: bool) -> Flat:
        """Return the slots before an iteration, and gradients of its rows. rows: the carry, rows, gradients of outputs,
        those of rows that are its carry, its number.   is_last: whether it is the loop's last iteration.
        """
        whole, derivation = self.whole, self.derivation
        n, n_arguments = derivation.n_carry, derivation.n_carry + derivation.n_rows
        n_given, closures = n_arguments + len(whole.given), whole.closures
        with enable_grad():
            inputs = [one.detach().requires_grad_() if need else one
                      for one, need in zip(rows[:n_arguments], derivation.needs, strict=True)]  # fmt: skip
            results = with_numbers(derivation.function, [*inputs, *rows[n_given + self.n_seeds :]])
            if is_last:
                self.ending = [one.detach() for one in results[:n]]
            pairs = [*zip(results[:n], slots[:n], strict=True),
                     *((results[i], rows[n_arguments + k]) for k, i in enumerate(whole.given)),
                     *((one.view_as(one), total) for one, total in zip(closures, slots[n:], strict=True)
                       if total is not None)]  # fmt: skip
            for k, i in enumerate(whole.seeds[: self.n_seeds]):
                carry = inputs[derivation.alike[i]]
                pairs.append((carry.view_as(carry), rows[n_given + k]))
        pairs = [(one, cotangent) for one, cotangent in pairs if cotangent is not None and one.requires_grad]
        leaves = [i for i in range(n_arguments) if derivation.needs[i]]
        found: Flat = [None] * (len(leaves) + len(closures))
        if pairs:
            with WithoutHooks(closures):
                found = list(grad([one for one, _ in pairs], [*(inputs[i] for i in leaves), *closures],
                                  [cotangent for _, cotangent in pairs], allow_unused=True))  # fmt: skip
        by_argument = dict(zip(leaves, found, strict=False))
        row_grads = [by_argument[n + i] for i in whole.wanted_rows]
        whole.has_row_grad = [before or one is not None
                              for before, one in zip(whole.has_row_grad, row_grads, strict=True)]  # fmt: skip
        row_grads = [zeros_like(inputs[n + i]) if one is None else one
                     for i, one in zip(whole.wanted_rows, row_grads, strict=True)]  # fmt: skip
        return [*(by_argument.get(i) for i in range(n)), *found[len(leaves) :], *row_grads]

    def make_outputs(self, count: int) -> Flat:
        """Return room for the gradients. ``last_slots``: tensors like them, without memory."""
        at = 0
        for _ in range(count - 1):
            following = self.following[at]
            if following == at:
                break
            if following < 0:
                raise Refusal(GRADIENT_STRIDES)
            at = following
        self.last_slots = self.bodies[at].like_results[: self.n_slots]
        return [empty(0, device="cpu") if one is None
                else empty_strided(tuple(one.shape), one.stride(), dtype=one.dtype, device="cpu")
                for one in self.last_slots]  # fmt: skip
