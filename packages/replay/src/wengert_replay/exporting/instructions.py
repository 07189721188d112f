"""Instructions: the steps of a program from a file, as they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from wengert_core.extend import Op, Tensor

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.tensors import Geometry

PLAIN = frozenset((bool, int, float, str))
"""Types of values that have no tensors in them."""


class Slot(NamedTuple):
    """A tensor among the arguments of an instruction: its number among all tensors of the program."""

    number: int


class Instruction:
    """A step: what is called, with what, and what it gives."""

    __slots__ = ("arguments", "call", "drop", "kinds", "line", "name", "nested", "tensors")

    def __init__(self, name: str, line: str, call: Callable[..., Any], kinds: list[Geometry]) -> None:
        self.name = name
        self.line = line
        self.call = call
        self.kinds = kinds
        self.arguments: dict[str, Any] = {}
        self.tensors: list[tuple[str, int]] = []
        self.nested: list[tuple[str, Any]] = []
        self.drop: list[int] = []

    @property
    def writes(self) -> bool:
        """Whether it may write to a tensor that was there before, or draw random numbers."""
        into = {name for name, _ in self.tensors} & {"out", "into"}
        return (
            bool(into)
            or getattr(self.call, "writes", False)
            or (isinstance(self.call, Op) and (self.call.is_inplace or "generator" in self.call.params))
        )

    @property
    def words(self) -> str:
        """The name and the line, for messages."""
        return f"{self.name} ({self.line})" if self.line else self.name

    @property
    def stops(self) -> bool:
        """Whether a call may end here, as at a guard."""
        return bool(getattr(self.call, "stops", False))

    def add(self, name: str, value: Any) -> None:
        """Add an argument."""
        if value is None or type(value) in PLAIN:
            self.arguments[name] = value
        elif isinstance(value, Slot):
            self.tensors.append((name, value.number))
        elif any(True for _ in slots_in(value)):
            self.nested.append((name, value))
        else:
            self.arguments[name] = value

    def slots(self) -> Iterator[int]:
        """Give the numbers of the tensors that it gets."""
        for _, number in self.tensors:
            yield number
        for _, value in self.nested:
            yield from slots_in(value)

    def run(self, values: list[Any]) -> tuple[list[Tensor], str]:
        """Call it; return its results, and their shapes as a text where they are not the recorded ones, else "".

        values: the tensors of the program so far. Raises what the operation raises.
        """
        arguments = dict(self.arguments)
        for name, number in self.tensors:
            arguments[name] = values[number]
        for name, value in self.nested:
            arguments[name] = fill_slots(value, values)
        try:
            result = self.call(**arguments)
        except (TypeError, KeyError, AttributeError) as error:  # of arguments that no recording has
            raise ProgramFileError(f"{self.words}: {error}") from error
        except Exception as error:
            error.add_note(f"raised in a program from a file by {self.words}")
            raise
        found = tensors_of(result)
        if [t.dtype for t in found] != [kind.dtype for kind in self.kinds]:
            given, expected = [t.dtype.name for t in found], [kind.dtype.name for kind in self.kinds]
            raise ProgramFileError(f"{self.words} gives {given}, and not {expected}")
        differs = any(tuple(t.shape) != kind.shape for t, kind in zip(found, self.kinds, strict=True))
        return found, repr([list(t.shape) for t in found]) if differs else ""

    @property
    def signature(self) -> str:
        """The shapes that it gave when the program was recorded."""
        return repr([list(kind.shape) for kind in self.kinds])

    def difference(self, seen: str) -> str:
        """Return words for other shapes than the recorded ones."""
        return f"{self.words} gives the shapes {seen:.80}, and gave {self.signature:.80} when the program was recorded"


def slots_in(value: Any) -> Iterator[int]:
    """Give the numbers of the slots in nested tuples and lists."""
    if isinstance(value, Slot):
        yield value.number
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from slots_in(item)
    elif isinstance(value, slice):
        yield from slots_in((value.start, value.stop, value.step))


def fill_slots(value: Any, values: list[Any]) -> Any:
    """Return nested tuples and lists with tensors in place of slots."""
    if isinstance(value, Slot):
        return values[value.number]
    if isinstance(value, (tuple, list)):
        items = [fill_slots(item, values) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, slice):
        return slice(*(fill_slots(item, values) for item in (value.start, value.stop, value.step)))
    return value


def tensors_of(result: Any) -> list[Tensor]:
    """Return the tensors of what an operation gave."""
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [t for item in result for t in tensors_of(item)]
    return []


def plan_drops(steps: Sequence[Any], kept: set[int], first: int, n_values: int) -> None:
    """Let each step say which tensors nobody uses behind it.

    kept: those that are used behind the last one.   first: the number of the first result.   n_values: the tensors
    before the first step.
    """
    last: dict[int, int] = {}
    for i, step in enumerate(steps):
        for slot in step.slots():
            last[slot] = i
        for _ in step.kinds:
            last[n_values] = i
            n_values += 1
    for slot, i in last.items():
        if slot >= first and slot not in kept:
            steps[i].drop.append(slot)
