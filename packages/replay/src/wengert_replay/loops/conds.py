"""``cond`` in a recording: both functions are recorded once, and a replay runs one of them.

Note [How a cond is recorded]
    The recording is suspended, and both functions are recorded as bodies without arguments, first the one that the
    predicate chooses, which gives the results. Both are trials: what would change something outside is stopped before
    it does, as an eager call does not run the other function, and random generators are set back. Where one of the two
    cannot be a body, or their results are not alike, nothing has been noted: the plain function runs, whose predicate
    is a guard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine import is_grad_enabled

from wengert_replay.arguments import describe_tensors
from wengert_replay.history.edges import graph_clock
from wengert_replay.history.outside import address_of_memory, hold_memory
from wengert_replay.loops.choice import Choice, make_choice
from wengert_replay.loops.closures import Surroundings, bits_of
from wengert_replay.loops.cond_gradients import BodyRecording, Derivation, as_leaves, attach
from wengert_replay.loops.gradients import depend_on_others
from wengert_replay.loops.index_reads import as_number, as_plain
from wengert_replay.loops.iterations import Flat, geometry_of, graph_ends, own_copy
from wengert_replay.loops.loop import Aside, add_loop, resume, suspend
from wengert_replay.loops.unrolled import (
    CHANGES,
    Trial,
    add_note,
    code_of,
    is_unrolled,
    look_first,
    look_on,
    name_of,
    note_tried,
    remember,
    source_of,
    trial,
    tried_pairs,
    words_for,
)
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import OUTSIDE_AND_SOURCE, RANDOM_GRADIENT, SHARED_PARTS, NoLoop, Refusal

MOST_TRIALS = 4
"""Constructs inside of constructs in which both functions of a cond are recorded: one may call itself by a cond."""


class Branch:
    """A function of a cond as a body.

    leaves: what it gives, without a graph.   others: those of them that it has not made, and that no gradient goes to;
    None for the rest.   tensors: those of them that are tensors.   gives: which of these had a graph.   closures:
    tensors from outside that gradients go to, beside operands.   ending: the bits of the tensors where one of them had
    a graph, of the chosen function.   shares: by the number of a leaf that the function has not made, the operand that
    it is, or a tensor on its memory.
    """

    ending: list[bytes]

    def __init__(self, recording: Recording, function: Callable[[Flat], Flat], operands: Flat) -> None:
        """Record the function. Raises what it raises, Refusal and NoLoop."""
        clock = graph_clock() if is_grad_enabled() else 0
        with BodyRecording(recording) as own:
            inputs = as_leaves(operands) if is_grad_enabled() else operands
            leaves = as_plain(function([as_number(one) for one in inputs]))
            own_leaves = own.without_aliases(leaves)
        self.others = [None if one is made or (one.requires_grad and is_grad_enabled()) else one
                       for one, made in zip(leaves, own_leaves, strict=True)]  # fmt: skip
        given = {id(one): operand for one, operand in zip(inputs, operands, strict=True)}
        self.shares = {i: given[id(one)] if id(one) in given else hold_memory(one) for i, one in enumerate(leaves)
                       if one is not own_leaves[i] and one.untyped_storage().nbytes()}  # fmt: skip
        leaves = own_leaves
        del own_leaves
        results = [one for one in leaves if isinstance(one, Tensor)]
        if any(type(one) is not Tensor for one in results):
            raise Refusal("it gives a tensor of another class")
        self.gives = [one.requires_grad and is_grad_enabled() for one in results]
        self.closures, known = graph_ends(results, inputs, own.own, clock)
        if not known or (any(self.gives) and own.own.differentiates()):
            raise Refusal("its gradient goes to a tensor that is gone, or it differentiates itself")
        self.leaves = [one.detach() if isinstance(one, Tensor) and one.requires_grad else one for one in leaves]
        del leaves, results
        self.tensors = [one for one in self.leaves if isinstance(one, Tensor)]
        addresses = [address_of_memory(one) for one in self.tensors if one.untyped_storage().nbytes()]
        if len(set(addresses)) < len(addresses):
            raise Refusal(SHARED_PARTS)
        self.body = own.make_body(self.tensors)
        if any(self.gives) and (self.body.generators() or self.body.all_states()):
            raise Refusal(RANDOM_GRADIENT)
        recording.python.join(own.own.python)

    def facts(self) -> Any:
        """Return what must be equal for both functions: geometry of tensors, where gradients go, and other values."""
        others = [None if isinstance(one, Tensor) else (type(one), one) for one in self.leaves]
        return geometry_of(self.tensors), self.gives, sorted(map(id, self.closures)), others


def run_cond(
    recording: Recording, plain: Callable[..., Any], predicate: Any, true_branch: Any, false_branch: Any, operands: Flat
) -> Any:
    """Run a cond inside of a recording, and note a choice. NotImplemented: it is left to the plain function."""
    tensors = [one for one in operands if isinstance(one, Tensor)]
    if type(predicate) is not Tensor or predicate.is_inference() or describe_tensors([predicate])[0] is None \
            or depth_of(recording) > MOST_TRIALS:  # fmt: skip
        return NotImplemented
    source = f"{source_of(true_branch.function)}, {source_of(false_branch.function)}"
    codes = code_of(true_branch.function), code_of(false_branch.function)
    key = (source, geometry_of(tensors), is_grad_enabled() and tuple([one.requires_grad for one in tensors]), codes)
    if is_unrolled(recording, "cond", key) or not suspend(recording):
        return NotImplemented
    states = rng_states()
    shared: list[tuple[int, Any]] | None = []
    try:
        chosen, same, outputs, choice, shared = record_choice(
            recording, predicate, (true_branch, false_branch), operands, source
        )
        look_first(recording, "cond", key, shared)
    except Trial:
        set_rng_states(states)
        true_branch.spec = false_branch.spec = None
        if recording.around is not None:
            note_tried(recording, name_of("cond", key), shared or [], operands)
            raise
        choice = None
    except (NoLoop, Refusal) as refused:
        set_rng_states(states)
        true_branch.spec = false_branch.spec = None
        choice, shared = None, note_refused(recording, key, operands, str(refused) or CHANGES)
    else:
        if choice is not None and any(chosen.gives):
            outside = [one for body in choice.bodies for one in body.outside]
            surroundings = Surroundings(recording, "cond", key, [predicate, *tensors, *outside])
    finally:
        resume(recording)
    if choice is None:
        return run_plain(recording, plain, (predicate, true_branch, false_branch, operands), key, shared)
    add_loop(recording, choice, [predicate], outputs)
    if any(chosen.gives):
        branches = true_branch, false_branch
        outputs = attach(Derivation(surroundings, branches, chosen), predicate, operands, outputs)
    found = with_values(chosen.leaves, outputs)
    look_on(recording, "cond", key, found, shared or [])
    return [one if other is None else other for one, other in zip(found, same, strict=True)]


def note_refused(recording: Recording, key: Any, operands: Flat, why: str) -> list[tuple[int, Any]] | None:
    """Return which results of a cond that is no instruction may share memory, where it runs in a trial that looks at
    them; else None, and what is no trial is remembered.
    """
    shared = tried_pairs(recording, name_of("cond", key), operands)
    if not (shared or recording.outermost().in_trial):
        remember(key, why)
        add_note(recording, words_for("cond", key))
    return shared or None


def run_plain(
    recording: Recording, plain: Callable[..., Any], arguments: tuple[Any, ...], key: Any,
    shared: list[tuple[int, Any]] | None,
) -> Any:  # fmt: skip
    """Run a cond operation by operation, and look at its results. NotImplemented: nobody looks at them."""
    if shared is None:
        return NotImplemented
    with trial(recording):
        results: Flat = plain(*arguments)
    return look_on(recording, "cond", key, results, shared, False)


def with_values(leaves: Flat, tensors: Flat) -> Flat:
    """Return the results of a cond: tensors, in the places of those among leaves, and other values."""
    remaining = iter(tensors)
    return [next(remaining) if isinstance(one, Tensor) else one for one in leaves]


def record_choice(
    recording: Recording, predicate: Any, branches: tuple[Any, Any], operands: Flat, source: str
) -> tuple[Branch, Flat, Flat, Choice, list[tuple[int, Any]]]:
    """Return the chosen function, results that both functions give and have not made, copies of its results, the
    choice, and which other results may share memory with which tensor. Raises Refusal and NoLoop.
    """
    first = 0 if bool(predicate) else 1
    before = rng_states()
    with Aside():
        chosen = Branch(recording, branches[first], operands)
    outputs, after = [own_copy(one) for one in chosen.tensors], rng_states()
    with Aside():
        other = record_other(recording, branches[1 - first], operands)
    if str(branches[0].spec) != str(branches[1].spec) or chosen.facts() != other.facts():
        raise Refusal("its functions give results of other structures, shapes, strides or values")
    if any(chosen.gives) and depend_on_others(chosen.closures):
        raise Refusal(OUTSIDE_AND_SOURCE)
    bodies = [chosen.body, other.body] if first == 0 else [other.body, chosen.body]
    choice = make_choice("cond", source, predicate, bodies, outputs)
    chosen.ending = bits_of(outputs) if any(chosen.gives) else []
    set_rng_states(before)
    agrees = choice.agrees()
    set_rng_states(after)
    if not agrees:
        raise Refusal("its function gives other numbers than before: it depends on Python's state")
    same = [one if one is another else None for one, another in zip(chosen.others, other.others, strict=True)]
    shared = [(i, tensor) for branch in (chosen, other) for i, tensor in branch.shares.items() if same[i] is None]
    return chosen, same, outputs, choice, shared


def record_other(recording: Recording, function: Callable[[Flat], Flat], operands: Flat) -> Branch:
    """Record the function that the predicate does not choose. Raises Refusal also where that raises an error."""
    try:
        return Branch(recording, function, operands)
    except (NoLoop, Refusal):
        raise
    except Exception as error:
        raise Refusal(f"the function that is not chosen raises {type(error).__name__}") from error


def depth_of(recording: Recording) -> int:
    """Return in how many other recordings one is."""
    around, found = recording.around, 0
    while around is not None:
        around, found = around.around, found + 1
    return found
