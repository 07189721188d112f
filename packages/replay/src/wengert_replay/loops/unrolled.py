"""Constructs that are recorded operation by operation, and why.

Note [Results that may share memory]
    An eager ``cond`` gives its operand where the chosen function does, and a loop gives a view of its carry. As one
    instruction they give copies. A write to the result or to the operand shows the difference, and so do both among the
    results of the captured function. So the first recording has such a construct operation by operation, and looks on.
    Where the difference does not show, that recording is dropped, and the next one has one instruction; where it does,
    the construct stays as it is. A later recording, which may go another way through the function, looks on as well: a
    write is an error there, as the copy has been given.
    The whole construct runs so where one inside of it has such results. What cannot be recorded there, as an index by
    the loop's number is a number that Python reads, may be a part of the loop in the next recording: nothing is
    remembered (``trial``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import ref

from wengert_core.extend import Tensor
from wengert_engine.extend import current_tracer

from wengert_replay.history.outside import address_of_memory, hold_memory, predates
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import listen_for_write
from wengert_replay.refusal import NoLoop
from wengert_replay.signature import Unhashable, flatten

MOST_UNROLLED = 1000
"""Constructs that are remembered as such that cannot be one instruction."""
MOST_LOOKS = 16
"""Calls of one construct in a recording whose results are looked at: the first and the last ones."""
CHANGES = "it changes something outside of it"
SEEN = "a result of it may be an operand or a view of one, which a write to it or the results of the function show"
UNROLLED: dict[Any, str] = {}
"""Reasons why a construct is recorded operation by operation, by where its function is and what it is called with."""


def remember(key: Any, why: str) -> None:
    """Let a construct be recorded operation by operation from now on."""
    if len(UNROLLED) >= MOST_UNROLLED:
        UNROLLED.clear()
    UNROLLED[key] = why


def is_unrolled(recording: Recording, construct: str, key: Any) -> bool:
    """Return whether a construct is recorded operation by operation, and note why."""
    if key not in UNROLLED:
        return False
    add_note(recording, words_for(construct, key))
    return True


def add_note(recording: Recording, words: str) -> None:
    """Let the program of a recording say in ``explain`` how it differs from what one expects."""
    recording = recording.outermost()
    if words not in recording.construct_notes:
        recording.construct_notes.append(words)


def words_for(construct: str, key: Any) -> str:
    """Return the words that say why a construct is recorded operation by operation."""
    return words_on(construct, UNROLLED[key])


def words_on(construct: str, why: str) -> str:
    """Return the same words for a reason."""
    return f"func.{construct} is recorded operation by operation: {why}"


def code_of(function: Any) -> Any:
    """Return the code of a function, which equals that of the same function made again; None where it has none."""
    return getattr(getattr(function, "__func__", function), "__code__", None)


def source_of(function: Any) -> str:
    """Return where a function begins, as words that stay."""
    code = code_of(function)
    if code is None:
        return f"{type(function).__module__}.{type(function).__qualname__}"
    return f"{code.co_filename}:{code.co_firstlineno}:{code.co_name}"


class Trial(NoLoop):
    """A construct is to run operation by operation first. Note [Results that may share memory]"""


@contextlib.contextmanager
def trial(recording: Recording) -> Iterator[None]:
    """Let a construct run operation by operation, so that its results and those of constructs in it are looked at."""
    before, recording.in_trial = recording.in_trial, True
    try:
        yield
    finally:
        recording.in_trial = before


def note_tried(recording: Recording, name: Any, shared: list[tuple[int, Any]], operands: Sequence[Any]) -> None:
    """Note for a trial which results of a construct may be which operands. -1: something else, or a view."""
    numbers = {id(one): k for k, one in enumerate(operands)}
    recording.outermost().tried[name] = [(i, numbers.get(id(one), -1)) for i, one in shared]


def tried_pairs(recording: Recording, name: Any, operands: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return the results, with the operands, that ``note_tried`` has noted of a construct that runs in a trial."""
    found = recording.tried.get(name, []) if recording.in_trial else []
    return [(i, operands[k]) for i, k in found if k >= 0]


class Sharing:
    """Results of a construct that may share memory with its operands, while a function is recorded.

    pairs: the number of each such result, and a tensor on the memory that it may share.   is_copied: the results are
    those of one instruction.   is_seen: somebody has written to one of the two.
    """

    def __init__(
        self, recording: Recording, construct: str, key: Any, results: Sequence[Any], pairs: list[tuple[int, Any]],
        is_copied: bool,
    ) -> None:  # fmt: skip
        """Look at results, in the recording that runs."""
        self.construct, self.key, self.is_copied, self.is_seen = construct, key, is_copied, False
        self.name = name_of(construct, key)
        numbers, results = [i for i, _ in pairs], [results[i] for i, _ in pairs]
        tensors, owner = [*results, *(one for _, one in pairs)], recording.outermost()
        self.parts = [ref(one) for one in results]
        self.owners = [(ref(one), address_of_memory(one)) for one in tensors]
        self.held = [] if is_copied else [*tensors, *map(hold_memory, tensors)]
        self.outside = {address_of_memory(one) for one in tensors if predates(one, owner)}
        self.links = [(address_of_memory(one), (self.name, i)) for one, i in zip(tensors, numbers * 2, strict=True)]
        others: list[Sharing] = owner.sharing
        alike = [one for one in others if one.name == self.name]
        if len(alike) >= MOST_LOOKS:
            others.remove(alike[MOST_LOOKS // 2])
            self.is_seen = alike[MOST_LOOKS // 2].is_seen
        others.append(self)
        for address in dict(self.links):
            listen_for_write(recording, address, ref(self))
        if recording is not owner:  # whose memory is none of the function's results
            self.links, self.outside = [], set()

    def was_replaced(self) -> bool:
        """Whether somebody has given a result, or the operand that it may be, other memory by ``tensor.data = ...``."""
        found = [(part(), address) for part, address in self.owners]
        return any(one is not None and address_of_memory(one) != address for one, address in found)

    def before_write(self, _address: int, _written: Any) -> None:
        """Note that an operation is about to write there. NoLoop or RuntimeError for memory that is a copy."""
        self.is_seen = self.is_seen or not self.is_copied
        if self.is_seen or all(part() is None for part in self.parts):
            return
        remember(self.key, SEEN)
        tracer = current_tracer()
        if isinstance(tracer, Recording) and tracer.around is not None:
            raise NoLoop(SEEN)
        raise RuntimeError(
            f"wengert.capture: func.{self.construct} has given a copy of an operand where an eager call gives the "
            "operand or a view of it, as no write has shown the difference before, and one of the two is written to "
            "now. Write to a clone() of it; the next call has the construct operation by operation"
        )


def name_of(construct: str, key: Any) -> Any:
    """Return what is equal for calls of one construct on any tensors. key: by which it is remembered."""
    return construct, key[0], key[-1]


def look_first(recording: Recording, construct: str, key: Any, pairs: list[tuple[int, Any]]) -> None:
    """Raise Trial for a construct with results that may share memory, which this function has not run yet.

    Note [Results that may share memory]
    """
    unseen = recording.outermost().unseen
    if pairs and unseen is not None and name_of(construct, key) not in unseen:
        raise Trial


def look_on(
    recording: Recording, construct: str, key: Any, results: list[Any], pairs: list[tuple[int, Any]],
    is_copied: bool = True,
) -> list[Any]:  # fmt: skip
    """Look at results from now on, if somebody asks for it, and return them. The arguments are those of Sharing."""
    if pairs and recording.outermost().unseen is not None:
        Sharing(recording, construct, key, results, pairs, is_copied)
    return results


def settle_sharing(recording: Recording, result: Any) -> str:
    """Return why a recording that has stopped is dropped, after it has looked on; "" where it is not.

    result: of the captured function.   Note [Results that may share memory]
    """
    shared: list[Sharing] = list(recording.sharing)
    if not shared:
        return ""
    groups = visible_groups(recording, shared, result)
    seen = {one.name for one in shared if one.is_seen or one.was_replaced()
            or any(find(groups, node) is None for _, node in one.links)}  # fmt: skip
    for one in shared:
        if one.name in seen:
            remember(one.key, SEEN)
            add_note(recording, words_for(one.construct, one.key))
    recording.sharing[:] = [one for one in shared if one.is_copied]
    looked = {one.name: one for one in shared if one.name not in seen and not one.is_copied}
    recording.unseen.update(looked)
    why = [f"a result of func.{one.construct} may be an operand or a view of one: this call has looked whether "
           "somebody writes to it" for one in looked.values()]  # fmt: skip
    why += [words_for(one.construct, one.key) for one in shared if one.name in seen and one.is_copied]
    return why[0] if why else ""


def visible_groups(recording: Recording, shared: list[Sharing], result: Any) -> dict[Any, Any]:
    """Return what shares memory with what, as the parents of addresses of memory and of results of constructs, by their
    names and numbers. None is that of what a caller sees twice: as two results, or as a result and as an argument or a
    tensor from outside.
    """
    parents: dict[Any, Any] = {}
    for one in shared:
        for address, node in one.links:
            parents[find(parents, address)] = find(parents, node)
    results: list[Tensor] = []
    with contextlib.suppress(Unhashable, RecursionError):  # it is not recorded for that
        flatten(result, results)
    first = {id(one): address_of_memory(one) for one in results}
    inputs = {address_of_memory(one) for one in recording.inputs}
    known = [find(parents, one) for one in first.values() if one in parents]
    others = [find(parents, one) for one in inputs.union(*[one.outside for one in shared]) if one in parents]
    for root in known:
        if known.count(root) + others.count(root) > 1:
            parents[root] = None
    return parents


def find(parents: dict[Any, Any], one: Any) -> Any:
    """Return the root of a value among parents."""
    while one is not None and parents.setdefault(one, one) != one:
        one = parents[one]
    return one
