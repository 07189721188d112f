"""Validation: each replay beside an eager run from the same state, and an error where the two differ.

Note [A validated call]
    The state that a replay can change is kept: storages of arguments and of tensors from outside, gradients of leaves,
    generators. The program is replayed, what it did is noted, the state is put back, and the function runs as usual.
    So writes are done once, Python code runs as in an eager call, and the caller gets the eager results. Python
    functions that a replay calls are called by it alone: Note [Python functions in a validated call] in answers.py.
    Results with a graph are those of the replay, and their node has a twin: the eager results with their own graph,
    on leaves in place of the arguments. A backward differentiates both, and compares the gradients of arguments and of
    leaves from outside. One that builds a graph is not compared.
    Results and gradients of loops begin with version 0, where the plain loop writes rows, or adds to sums, in place: so
    where a program has loops, versions of new tensors are not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wengert_core import Generator, default_generator
from wengert_core.extend import Tensor, short_repr

from wengert_replay.history.histories import History
from wengert_replay.history.node import differentiate, leaves_like, outputs_of
from wengert_replay.inspection.answers import Answers, why_not_answered
from wengert_replay.inspection.counting import branches_of
from wengert_replay.inspection.state import restore_storage, storage_key, storage_state
from wengert_replay.recording.python_calls import PythonCall
from wengert_replay.refusal import Miss
from wengert_replay.signature import Unhashable, flatten
from wengert_replay.structures import rebuild

if TYPE_CHECKING:
    from wengert_replay.history.runs import Form
    from wengert_replay.programs.program import Program


class ShownTensor(NamedTuple):
    """A tensor of a result, in messages."""

    number: int

    def __repr__(self) -> str:
        return f"<tensor {self.number}>"


SHOWN_TENSORS = [ShownTensor(number) for number in range(1000)]
OUTSIDE = ("outside tensor", "the state of the program's generator")
"""Words for memory from outside: of a tensor, and of no Storage, which a row says by the address in its place."""


class ReplayDiffersError(RuntimeError):
    """A replay did not do what the eager function does from the same state. Raised by ``capture(validate=True)``."""


def replay_validated(
    program: Program | History, inputs: list[Tensor], function: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """Replay a program, compare it with the function, and return what ``program.replay`` does, with eager tensors.

    Raises ReplayDiffersError, or what the function raises.
    """
    if isinstance(program, History):
        return replay_with_twin(program, inputs)
    nodes = [program, *branches_of(program)]
    why = why_not_answered(calls_python(nodes))
    if why:
        return Miss(program, -2, why, "")
    state = State(nodes, inputs)
    with state.answers.note():
        found = program.replay(inputs)
    if not isinstance(found, tuple):
        return found  # nothing was done: it does not fit, or a number differs
    shape, results = found
    replayed = Effects(state, results)
    state.restore()
    name = getattr(function, "__qualname__", type(function).__name__)
    with state.answers.give():
        eager_results = run_eagerly(name, shape, lambda: function(*args, **kwargs))
    compare_calls(name, state.answers)
    Effects(state, eager_results).compare(name, replayed)
    return shape, eager_results


def calls_python(nodes: Sequence[Program]) -> bool:
    """Return whether one of these programs calls Python functions."""
    return any(isinstance(call, PythonCall) for node in nodes for call in node.calls.values())


def compare_calls(name: str, answers: Answers) -> None:
    """Raise ReplayDiffersError where an eager run has called other Python functions than the replay."""
    words = answers.find_difference()
    if words:
        raise difference(name, words)


def run_eagerly(name: str, shape: Any, call: Callable[[], Any]) -> list[Tensor]:
    """Return the tensors of a result. ReplayDiffersError where it has another structure than in a replay."""
    results: list[Tensor] = []
    try:
        result = call()
    except Exception as error:
        raise difference(name, f"there is no error in a replay, {type(error).__name__} in an eager run") from error
    try:
        eager_shape = flatten(result, results)
    except Unhashable as unhashable:
        raise difference(name, f"the eager result has an object of type {unhashable} in it") from None
    if eager_shape != shape:
        words = [short_repr(rebuild(one, SHOWN_TENSORS), str) for one in (shape, eager_shape)]
        raise difference(name, f"the result is {words[0]} in a replay, {words[1]} in an eager run")
    return results


def replay_with_twin(history: History, inputs: list[Tensor]) -> Any:
    """Replay a call whose results have a graph, and compare it. Note [A validated call]"""
    programs = history.programs()
    why = why_not_answered(calls_python(programs))
    if why:
        return Miss(programs[0], -2, why, "")
    state = State(programs, inputs)
    with state.answers.note():
        found = history.replay(inputs)
    if not isinstance(found, tuple):
        return found
    shape, results = found
    replayed = Effects(state, results, has_graph=True)
    state.restore()
    leaves = leaves_like(inputs)
    with state.answers.give():
        eager_results = run_eagerly(history.name, shape, lambda: history.function(leaves))
    compare_calls(history.name, state.answers)
    places = {id(leaf): one for leaf, one in zip(leaves, inputs, strict=True)}
    seen = [places.get(id(one), one) for one in eager_results]
    Effects(state, seen, has_graph=True).compare(history.name, replayed)
    run = next(one.grad_fn.run for one in results if one.grad_fn is not None and all(one is not t for t in inputs))
    if outputs_of(eager_results) != run.form.outputs:
        raise difference(history.name, "other results have a graph in a replay than in an eager run")
    run.twin = Twin(history.name, run.form, leaves, eager_results, state.resets_versions)
    return shape, results


class Twin(NamedTuple):
    """An eager run beside a replay, with its graph."""

    name: str
    form: Form
    inputs: list[Tensor]
    results: list[Tensor]
    resets_versions: bool

    def state(self, history: History) -> State:
        """Return the state that a backward can change, as it is now."""
        return State(history.programs(), self.inputs)

    def check(self, grads: Sequence[Tensor | None], found: Sequence[Tensor | None], state: State) -> None:
        """Raise ReplayDiffersError unless these gradients are those of the eager run, for gradients of its outputs.

        state: that before the gradients were computed.
        """
        pattern = [one is not None for one in grads]
        given = [one for one in grads if one is not None]
        if not given or why_not_answered(bool(state.answers.calls)):
            return
        names = [f"argument {number}" for number in self.form.ends]
        names += [f"leaf {number}" for number in range(len(self.form.leaves))]
        state.restore()
        with state.answers.give():
            expected = differentiate(self.results, self.inputs, given, self.form, pattern)
        compare_calls(self.name, state.answers)
        for name, one, eager in zip(names, found, expected, strict=True):
            if one is None or eager is None:
                words = "" if one is eager else f"is {describe(one)} in a replay, {describe(eager)} in an eager run"
            else:
                seen = [observe(each, "a gradient", has_version=not self.resets_versions) for each in (eager, one)]
                words = seen[0].differs_from(seen[1])
            if words:
                raise difference(self.name, f"the gradient of {name} {words}")


def describe(grad: Tensor | None) -> str:
    return "None" if grad is None else "a tensor"


def difference(name: str, what: str) -> ReplayDiffersError:
    return ReplayDiffersError(
        f"wengert.capture: a replay of {name} differs from an eager run: {what}. The state is that of the eager run. "
        "The function may depend on Python data that changes (a counter, a list, a global): make it an argument"
    )


class State:
    """The state that a replay can change, as it is now."""

    def __init__(self, programs: list[Program], inputs: list[Tensor]) -> None:
        self.named = dict(named_tensors(programs, inputs))
        self.leaves = {name: t for name, t in self.named.items() if t.is_leaf and t.requires_grad}
        self.grads = {name: t.grad for name, t in self.leaves.items()}
        tensors = [*self.named.values(), *(grad for grad in self.grads.values() if grad is not None)]
        self.storages = {storage_key(t): (t, storage_state(t)) for t in tensors}
        self.generators = [(one, one.get_state()) for one in generators_of(programs)]
        self.resets_versions = any(call.resets_versions for node in programs for call in node.calls.values())
        self.answers = Answers(self)

    def storages_now(self) -> dict[int, tuple[bytes, int]]:
        """Return contents and versions of the storages, by their keys."""
        return {key: storage_state(t) for key, (t, _) in self.storages.items()}

    def restore(self) -> None:
        for name, leaf in self.leaves.items():
            if leaf.grad is not self.grads[name]:
                leaf.grad = self.grads[name]
        for t, storage in self.storages.values():
            restore_storage(t, storage)
        for generator, position in self.generators:
            generator.set_state(position)

    def name_of(self, t: Tensor) -> str:
        """Return the name of a tensor that was there before; "" for a new one."""
        return next((name for name, known in self.named.items() if known is t), "")


def named_tensors(programs: list[Program], inputs: list[Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors whose memory, version or gradient a replay can change, each with a name for messages."""
    seen: set[int] = set()
    rows = [(f"argument {number}", t) for number, t in enumerate(inputs)]
    outside = [row for node in programs for row in node.outside]  # numbers of the first program, then of branches
    rows += [(f"{OUTSIDE[row[1] == row[2]]} {number}", row[0]) for number, row in enumerate(outside)]
    leaves = [plan.leaf for node in programs for plan in node.leaves]
    rows += [(f"leaf {number}", leaf) for number, leaf in enumerate(leaves) if leaf is not None]
    for name, t in rows:
        if id(t) not in seen:
            seen.add(id(t))
            yield name, t


def generators_of(programs: list[Program]) -> list[Generator]:
    """Return the generators that a replay may draw from: the default one, and those of the operations."""
    found = [default_generator]
    for call in (call for node in programs for call in node.calls.values()):
        found += [one for one in call.arguments if isinstance(one, Generator) and one not in found]
    return found


class Observation(NamedTuple):
    """All of a tensor that a program can see."""

    facts: dict[str, Any]
    values: Tensor

    def differs_from(self, other: Observation) -> str:
        """Return in words how another tensor, of a replay, differs from this one; "" where it does not."""
        for fact, value in self.facts.items():
            if other.facts[fact] != value:
                return f"has {fact} {other.facts[fact]} in a replay, {value} in an eager run"
        if storage_state(self.values)[0] == storage_state(other.values)[0]:
            return ""
        rows = enumerate(zip(self.values.view(-1).tolist(), other.values.view(-1).tolist(), strict=True))
        unequal = [(number, one, two) for number, (one, two) in rows if repr(one) != repr(two)]
        if not unequal:
            return "has NaN with other bits"
        number, one, two = unequal[0]
        return (
            f"has {len(unequal)} of {self.values.numel()} numbers that differ; the first, number {number}, is {two!r} "
            f"in a replay, {one!r} in an eager run"
        )


def observe(t: Tensor, identity: str, has_graph: bool = False, has_version: bool = True) -> Observation:
    """has_graph: it may have one of another kind in a replay.   has_version: the version is compared, too."""
    values = t.detach().resolve_conj().resolve_neg().contiguous().clone().cpu()
    facts = {
        "dtype": t.dtype, "shape": tuple(t.shape), "strides": t.stride(), "requires_grad": t.requires_grad,
        "version": t._version if has_version and not t.is_inference() else None, "identity": identity,
        "grad_fn": "" if has_graph else type(t.grad_fn).__name__,
    }  # fmt: skip
    return Observation(facts, values)


class Effects:
    """The effects of a call since a state, and its results."""

    def __init__(self, state: State, results: list[Tensor], has_graph: bool = False) -> None:
        """has_graph: so have results, those of a replay and of an eager run other ones."""

        def look(t: Tensor, has_graph: bool = False, is_kept: bool = False) -> Observation:
            known = state.name_of(t)
            return observe(t, known or "a new tensor", has_graph, is_kept or bool(known) or not state.resets_versions)

        self.seen = {f"result {number}": look(t, has_graph) for number, t in enumerate(results)}
        self.kept: dict[str, str] = {}
        for name, leaf in state.leaves.items():
            if leaf.grad is not None:
                is_kept = leaf.grad is state.grads[name]
                self.seen[f"the gradient of {name}"] = look(leaf.grad, is_kept=is_kept)
            self.kept[name] = (
                "none" if leaf.grad is None else "as before" if leaf.grad is state.grads[name] else "another tensor"
            )
        self.seen |= {name: look(t) for name, t in state.named.items()}
        for number, (generator, _) in enumerate(state.generators):
            self.seen[f"the state of generator {number}"] = look(generator.get_state())

    def compare(self, name: str, replayed: Effects) -> None:
        """Raise ReplayDiffersError unless a replay has done the same as this, an eager run."""
        for leaf, kept in self.kept.items():
            if replayed.kept[leaf] != kept:
                raise difference(
                    name, f"the gradient of {leaf} is {replayed.kept[leaf]} in a replay, {kept} in an eager run"
                )
        for what, seen in self.seen.items():
            words = seen.differs_from(replayed.seen[what])
            if words:
                raise difference(name, f"{what} {words}")
