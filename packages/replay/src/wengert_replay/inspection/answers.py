"""Answers: what Python functions gave in a replay, for the eager run beside it.

Note [Python functions in a validated call]
    A function under ``compiler.disable`` counts, draws or prints, so a validated call calls it once: the replay does,
    and the eager run gets what it gave. As memory is put back between the two, what a call has done to tensors that the
    program knows, to gradients of leaves and to generators is noted, and done again in the eager run. A tracer brings
    the calls of that run here; with it, optimizers and schedulers of wengert do what they do in a recording.
    Arguments are compared. What the eager run calls and the replay has not called is called as usual, and is a
    difference; so is what the replay has called and the eager run does not call. Functions of wengert's optimizers
    are excepted, which have no effects but on tensors, and are left out where nothing has changed since the last call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor
from wengert_engine import no_grad
from wengert_engine.extend import Tracer, is_observed

from wengert_replay.inspection.state import follow_calls, restore_storage, set_version, storage_key, storage_state
from wengert_replay.recording.python_calls import watch_calls
from wengert_replay.signature import Unhashable, flatten
from wengert_replay.structures import rebuild

if TYPE_CHECKING:
    from wengert_replay.inspection.validation import State

WITHOUT_EFFECTS = "wengert_optim.updates"
"""The package whose functions have no effects but on tensors."""
IN_PROFILE = "validate=True inside of a profile: the program calls Python functions, which a check would call twice"


class Listener(Tracer):
    """A tracer that hears of Python functions alone."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def call_python(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what the function gave in the replay."""
        return self.answers.take(function, args, kwargs)


class Answers:
    """The calls of Python functions in one replay. Note [Python functions in a validated call]"""

    def __init__(self, state: State) -> None:
        """state: that a replay can change, before it."""
        self.state = state
        self.calls: list[Answer] = []
        self.difference = ""
        self.is_inside = False

    @contextmanager
    def note(self) -> Generator[None, None, None]:
        """Note the calls of this thread's replays."""
        before = watch_calls(self)
        try:
            yield
        finally:
            watch_calls(before)

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function, and note what it gives and does."""
        if self.is_inside:  # in a replay that another one's function has begun
            return function(*args, **kwargs)
        answer = Answer(self.state, function, args, kwargs)
        self.is_inside = True
        try:
            result = function(*args, **kwargs)
        finally:
            self.is_inside = False
        answer.note(result)
        self.calls.append(answer)
        return result

    def forget(self) -> None:
        """Forget the calls so far: what comes now is no part of the same run."""
        self.calls.clear()

    @contextmanager
    def give(self) -> Generator[None, None, None]:
        """Answer the calls of this thread's eager run."""
        if not self.calls:
            yield
            return
        follow_calls(Listener(self))
        try:
            yield
        finally:
            follow_calls(None)

    def take(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what a function gave in the replay, and do again what it did."""
        words = words_of(function)
        number = next((i for i, one in enumerate(self.calls) if one.words == words), -1)
        if number < 0:
            if not is_without_effects(function):
                self.differ(f"the eager run calls {words[0]}, which the replay does not call there")
            return self.call_as_usual(function, args, kwargs)
        if any(not is_without_effects(one.function) for one in self.calls[:number]):
            self.differ(f"the eager run calls {words[0]} before {self.calls[0].words[0]}, the replay behind it")
        answer = self.calls.pop(number)
        tensors: list[Tensor] = []
        structure = flatten((args, kwargs), tensors)
        if not is_without_effects(function):
            self.differ(answer.difference(structure, tensors))
        answer.repeat(tensors)
        return answer.result(tensors)

    def call_as_usual(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        follow_calls(None)
        try:
            return function(*args, **kwargs)
        finally:
            follow_calls(Listener(self))

    def differ(self, words: str) -> None:
        """Note the first difference, if these words name one."""
        self.difference = self.difference or words

    def find_difference(self) -> str:
        """Return in words how the calls of the eager run, which has ended, differ from those of the replay, or ""."""
        for one in self.calls:
            if not is_without_effects(one.function):
                self.differ(f"the replay calls {one.words[0]}, which the eager run does not call there")
        return self.difference


class Answer:
    """One call of a Python function: its arguments, its result, and what it did."""

    def __init__(self, state: State, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.state, self.function, self.words = state, function, words_of(function)
        self.tensors: list[Tensor] = []
        self.structure = flatten((args, kwargs), self.tensors)
        self.contents = [contents_of(t) for t in self.tensors]
        self.versions = [storage_state(t)[1] for t in self.tensors]
        self.storages = self.state.storages_now()
        self.grads = {name: leaf.grad for name, leaf in state.leaves.items()}
        self.generators = [one.get_state() for one, _ in state.generators]

    def note(self, result: Any) -> None:
        """Note what the call has given and done; of the state before it only what has changed is held."""
        self.value = result
        self.results: list[Tensor] = []
        try:
            self.shape = flatten(result, self.results)
        except Unhashable:
            self.results = []
        known = self.state.storages
        self.written = [
            (i, contents_of(t), storage_state(t)[1] - version)
            for i, (t, contents, version) in enumerate(zip(self.tensors, self.contents, self.versions, strict=True))
            if storage_key(t) not in known and (contents_of(t), storage_state(t)[1]) != (contents, version)
        ]
        now = self.state.storages_now()
        self.storages = {key: (one[0], one[1] - before[1]) for key, before in self.storages.items()
                         if (one := now[key]) != before}  # fmt: skip
        self.grads = {name: leaf.grad for name, leaf in self.state.leaves.items() if leaf.grad is not self.grads[name]}
        pairs = zip(self.state.generators, self.generators, strict=True)
        self.positions = [(one, one.get_state()) for (one, _), before in pairs
                          if one.get_state().tolist() != before.tolist()]  # fmt: skip

    def difference(self, structure: Any, tensors: Sequence[Tensor]) -> str:
        """Return in words how the arguments of the eager run's call differ from those of this one; "" where not."""
        if structure != self.structure:
            return f"{self.words[0]} has other arguments in the eager run than in the replay"
        for number, (t, contents) in enumerate(zip(tensors, self.contents, strict=True)):
            if contents_of(t) != contents:
                return f"{self.words[0]} gets other numbers in the eager run than in the replay, in its tensor {number}"
        return ""

    def repeat(self, tensors: Sequence[Tensor]) -> None:
        """Do again what the call did. tensors: the arguments of the eager run's call."""
        for number, contents, rise in self.written:
            if number < len(tensors):
                version = storage_state(tensors[number])[1]
                write_contents(tensors[number], self.tensors[number], contents)
                set_version(tensors[number], version + rise)
        for key, (contents, rise) in self.storages.items():
            t = self.state.storages[key][0]
            restore_storage(t, (contents, storage_state(t)[1] + rise))
        for name, grad in self.grads.items():
            self.state.leaves[name].grad = grad
        for generator, position in self.positions:
            generator.set_state(position)

    def result(self, tensors: Sequence[Tensor]) -> Any:
        """Return the result, with tensors of the eager run in place of those of the replay."""
        found = [self.counterpart(t, tensors) for t in self.results]
        if all(one is t for one, t in zip(found, self.results, strict=True)):
            return self.value
        return rebuild(self.shape, found)

    def counterpart(self, t: Tensor, tensors: Sequence[Tensor]) -> Tensor:
        """Return what the eager run has for a tensor of a result: an argument, a view of one, or the tensor itself."""
        key = storage_key(t)
        for own, eager in zip(self.tensors, tensors, strict=False):
            if own is t:
                return eager
            if storage_key(own) == key and key not in self.state.storages:
                return eager.as_strided(t.shape, t.stride(), t.storage_offset())
        return t


def words_of(function: Callable[..., Any]) -> tuple[str, Any]:
    """Return the name of a function, and its code: equal for the functions that each run of a line makes."""
    return (str(getattr(function, "__qualname__", type(function).__name__)),
            getattr(function, "__code__", type(function)))  # fmt: skip


def is_without_effects(function: Callable[..., Any]) -> bool:
    return str(getattr(function, "__module__", "")).startswith(WITHOUT_EFFECTS)


def contents_of(t: Tensor) -> bytes:
    """Return the bytes of a tensor's elements."""
    contents: bytes = storage_state(t.detach().resolve_conj().resolve_neg().contiguous().clone())[0]
    return contents


def write_contents(t: Tensor, like: Tensor, contents: bytes) -> None:
    """Write bytes that ``contents_of`` gave of another tensor."""
    values = like.detach().contiguous().clone()
    restore_storage(values, (contents, 0))
    with no_grad():
        t.detach().copy_(values)


def why_not_answered(has_calls: bool) -> str:
    """Return why a call cannot be checked; "" where it can."""
    return IN_PROFILE if has_calls and is_observed() else ""
