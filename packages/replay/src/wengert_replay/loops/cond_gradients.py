"""Gradients of a cond: one node, whose backward is a choice between the derivatives of both functions.

Note [Backward of a cond]
    The body of each derivative runs its function again, on operands without a graph, and differentiates it. Where the
    two derivatives are gradients of other tensors, or the gradient itself is to be differentiated, or no recording
    runs, the function that the predicate chooses runs again, in a recording behind a guard.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from wengert_core.extend import Tensor
from wengert_engine import enable_grad, grad, is_grad_enabled
from wengert_engine.extend import current_tracer

from wengert_replay.history.states import WithoutHooks
from wengert_replay.loops.body import Body
from wengert_replay.loops.choice import make_choice
from wengert_replay.loops.closures import Results, Surroundings, check_bits, with_own_cells
from wengert_replay.loops.gradients import LoopNode, gradients_of
from wengert_replay.loops.index_reads import as_number, as_plain
from wengert_replay.loops.iterations import Flat, geometry_of, own_copy
from wengert_replay.loops.loop import Aside, add_loop, make_body, nest, resume, suspend
from wengert_replay.loops.plain_gradients import Gate, Passage
from wengert_replay.loops.unrolled import CHANGES, add_note
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import end_watch
from wengert_replay.refusal import RANDOM_BACKWARD, NoLoop, Refusal

if TYPE_CHECKING:
    from wengert_replay.loops.conds import Branch


class BodyRecording:
    """A recording of a body without arguments, which changes nothing outside of it."""

    def __init__(self, recording: Recording, ends_outside: bool = False) -> None:
        self.around, self.own = recording, Recording([])
        nest(self.own, recording, ends_outside, is_trial=True)

    def __enter__(self) -> Self:
        try:
            self.own.start()
        except BaseException:  # Ctrl-C, behind the start
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.own.stop()
        if kind is not None:
            self.own.close()

    def without_aliases(self, leaves: Flat) -> Flat:
        """Return leaves with copies in place of tensors on memory that the body has not allocated."""
        blocks = self.own.live_blocks()
        return [own_copy(one) if isinstance(one, Tensor) and one.untyped_storage().data_ptr() not in blocks else one
                for one in leaves]  # fmt: skip

    def make_body(self, results: Flat) -> Body:
        """Return the body, whose results are some tensors without a graph. Raises Refusal."""
        try:
            if end_watch(self.own, []):
                raise Refusal("it keeps rows that it reads, or writes to them")
            return make_body(self.own, self.around, results, in_place=True)
        finally:
            self.own.close()


def as_leaves(operands: Flat) -> Flat:
    """Return operands without a graph, which end a graph where they require gradients."""
    return [one.detach().requires_grad_() if isinstance(one, Tensor) and one.requires_grad else one
            for one in operands]  # fmt: skip


class Derivation:
    """Facts that backward of a cond needs beside tensors.

    ends: the numbers of the operands that get gradients.   closures: tensors from outside that do.
    """

    def __init__(self, surroundings: Surroundings, branches: tuple[Any, Any], chosen: Branch) -> None:
        self.surroundings, self.source = surroundings, surroundings.key[0]
        self.gives, self.ending = chosen.gives, chosen.ending
        self.branches = [with_own_cells(one) for one in branches]
        self.closures = chosen.closures
        self.others: Flat = []
        self.ends: list[int] = []
        self.results = Results([])

    def operands_of(self, saved: Flat) -> Flat:
        """Return the operands. saved: those of them that are tensors."""
        remaining = iter(saved)
        return [next(remaining) if one is None else one[0] for one in self.others]

    def check(self, tensors: Flat) -> None:
        """Raise RuntimeError unless the chosen function gives what it gave before."""
        check_bits("cond", self.source, self.ending, tensors)


class CondNode(LoopNode):
    """The node of a cond."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None, None, None, *gradients_of(ctx, grads, gradients))


def attach(derivation: Derivation, predicate: Any, operands: Flat, outputs: Flat) -> Flat:
    """Return the results of a cond as those of a node."""
    derivation.others = [None if isinstance(one, Tensor) else (one,) for one in operands]
    derivation.ends = [i for i, one in enumerate(operands) if isinstance(one, Tensor) and one.requires_grad]
    saved = (predicate, *derivation.closures, *(one for one in operands if isinstance(one, Tensor)))
    ends = [*(operands[i] for i in derivation.ends), *derivation.closures]
    given = tuple([one for one, gives in zip(outputs, derivation.gives, strict=True) if gives])
    made = iter(CondNode.apply(derivation, saved, given, *ends))
    outputs = [next(made) if gives else one for one, gives in zip(outputs, derivation.gives, strict=True)]
    derivation.results = Results(outputs)
    return outputs


def gradients(derivation: Derivation, saved: Flat, grads: Sequence[Any]) -> Flat:
    """Return the gradients for operands that require them, and for tensors from outside."""
    n = 1 + len(derivation.closures)
    predicate, closures, operands = saved[0], saved[1:n], derivation.operands_of(saved[n:])
    given = iter(grads)
    cotangents = [next(given) if gives else None for gives in derivation.gives]
    tracer = current_tracer()
    if isinstance(tracer, Recording) and tracer.refusal is None and not is_grad_enabled() and suspend(tracer):
        backward = BackwardChoice(tracer, derivation, operands, closures, cotangents)
        try:
            found = backward.record(predicate)
        except (NoLoop, Refusal) as refused:
            found = None
            add_note(tracer, f"the backward of func.cond reads the predicate: {str(refused) or CHANGES}")
        finally:
            resume(tracer)
        if found is not None:
            return backward.note(found)
    first = 0 if bool(predicate) else 1
    return pull(derivation, first, operands, closures, cotangents, is_grad_enabled(), is_plain=True)[0]


def pull(
    derivation: Derivation, number: int, operands: Flat, closures: Flat, cotangents: Flat, create_graph: bool,
    is_plain: bool = False,
) -> tuple[Flat, Flat]:  # fmt: skip
    """Return gradients by one of the functions, and its results. is_plain: nothing is recorded as a body."""
    gate = Gate()
    with enable_grad():
        inputs = as_leaves(operands)
        if create_graph:
            inputs = [Passage.apply(gate, one) if i in derivation.ends else one for i, one in enumerate(operands)]
        leaves = as_plain(derivation.branches[number]([as_number(one) for one in inputs]))
    derivation.surroundings.go_on()
    derivation.surroundings.follow(inputs)
    results = [one for one in leaves if isinstance(one, Tensor)]
    if is_plain:
        derivation.results.write_to(results)
    pairs = [(one, cotangent) for one, cotangent in zip(results, cotangents, strict=True)
             if cotangent is not None and one.requires_grad]  # fmt: skip
    wanted = [*(inputs[i] for i in derivation.ends), *closures]
    found: Flat = [None] * len(wanted)
    if pairs:
        with WithoutHooks(closures):
            found = list(grad([one for one, _ in pairs], wanted, [cotangent for _, cotangent in pairs],
                              allow_unused=True, create_graph=create_graph))  # fmt: skip
    gate.closed = False
    return found, [one.detach() for one in results]


class BackwardChoice:
    """The backward of a cond while it is recorded."""

    def __init__(
        self, recording: Recording, derivation: Derivation, operands: Flat, closures: Flat, cotangents: Flat
    ) -> None:
        self.recording, self.derivation = recording, derivation
        self.operands, self.closures, self.cotangents = operands, closures, cotangents

    def record(self, predicate: Any) -> tuple[Any, Flat, Flat]:
        """Return the choice, its outputs, and the gradients. Raises Refusal and NoLoop."""
        self.predicate = predicate
        first = 0 if bool(predicate) else 1
        with Aside():
            body, grads = self.record_body(first, True)
        outputs = [None if one is None else own_copy(one) for one in grads]
        with Aside():
            other, other_grads = self.record_body(1 - first, False)
        if geometry_of(grads) != geometry_of(other_grads):
            raise Refusal("its functions have gradients for other tensors, or with other strides")
        present = [one for one in outputs if one is not None]
        bodies = [body, other] if first == 0 else [other, body]
        return make_choice("cond_backward", self.derivation.source, predicate, bodies, present), present, outputs

    def note(self, found: tuple[Any, Flat, Flat]) -> Flat:
        """Note a choice that has been recorded, and return the gradients."""
        choice, present, outputs = found
        add_loop(self.recording, choice, [self.predicate], present)
        return outputs

    def record_body(self, number: int, is_chosen: bool) -> tuple[Body, Flat]:
        """Return the body of the derivative of a function, and what it gives."""
        with BodyRecording(self.recording, ends_outside=True) as own:
            grads, results = pull(self.derivation, number, self.operands, self.closures, self.cotangents, False)
            grads = own.without_aliases(grads)
        if is_chosen:
            self.derivation.check(results)
        del results
        body = own.make_body([one for one in grads if one is not None])
        if body.generators() or body.all_states():
            raise Refusal(RANDOM_BACKWARD)
        return body, grads
