"""The steps of a program, or of a loop's body, on their way from a file."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import wengert_core

from wengert_replay.exporting import pseudo_ops
from wengert_replay.exporting.bodies import PortableBody
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.instructions import Instruction, Slot
from wengert_replay.exporting.loop_entries import MOST_NESTED
from wengert_replay.exporting.loop_steps import choice_step, loop_step
from wengert_replay.exporting.nodes import Guard
from wengert_replay.exporting.numbers import Numbers
from wengert_replay.exporting.operations import OpEntry, instruction
from wengert_replay.exporting.tensors import Geometry
from wengert_replay.exporting.values import decode_value, expect

ENTRIES_WITHOUT_RESULT = ("guard", "numbers", "loop", "choice")
"""Steps that are no operations and do not give one tensor each."""


class Parts(NamedTuple):
    """The tables of a file, which the steps of a program and of its bodies name by numbers."""

    ops: list[OpEntry]
    types: list[Geometry]
    lines: list[str]
    constants: list[Any]
    generators: list[Any]
    bodies: list[PortableBody]


class StepReader:
    """A reader of steps in their order: none can refer to what comes later.

    n_values: the arguments, tensors from outside and results so far.
    """

    def __init__(self, parts: Parts, n_inputs: int, n_outside: int) -> None:
        self.parts, self.n_inputs, self.n_outside = parts, n_inputs, n_outside
        self.first = self.n_values = n_inputs + n_outside

    def read_step(self, entry: Any) -> Instruction | Guard:
        """Return the step of an entry. Raises ProgramFileError."""
        if not isinstance(entry, list) or len(entry) != 4:
            raise ProgramFileError("a step is made of an operation, arguments, types of results and a line")
        number, arguments, types, line = entry
        parts = self.parts
        op = parts.ops[checked_index(number, len(parts.ops), "an operation")]
        name, parameters = op.name, op.parameters
        kinds = [parts.types[checked_index(one, len(parts.types), "a type")] for one in expect(types, list, name)]
        if len(expect(arguments, list, name)) != len(parameters):
            raise ProgramFileError(f"{name} has {len(arguments)} arguments, and {len(parameters)} parameters")
        values = dict(zip(parameters, [decode_value(one, self.object_at) for one in arguments], strict=True))
        line = parts.lines[checked_index(line, len(parts.lines), "a line")]
        self.n_values += len(kinds)
        if op.op is None:
            return self.pseudo_step(name, line, values, kinds)
        return instruction(op, line, values, kinds)

    def pseudo_step(self, name: str, line: str, values: dict[str, Any], kinds: list[Geometry]) -> Instruction | Guard:
        """Return a step that is no operation."""
        if (name not in ENTRIES_WITHOUT_RESULT and len(kinds) != 1) or (name == "guard" and kinds):
            raise ProgramFileError(f"{name} gives {len(kinds)} tensors")
        for parameter in ("value", "base", "source"):
            if parameter in values and not isinstance(values[parameter], Slot):
                raise ProgramFileError(f"{name}: '{parameter}' is no tensor")
        if name == "numbers":
            return numbers_step(values, line, kinds)
        if name == "guard":
            return Guard(values["value"].number, expect(values["expected"], list, "a guard"), line)
        if name in ("loop", "choice"):
            return (loop_step if name == "loop" else choice_step)(values, line, kinds, self.parts.bodies)
        made = Instruction(name, line, partial(getattr(pseudo_ops, name), kind=kinds[0]), kinds)
        if name == "constant":
            constants = self.parts.constants
            values["whole"] = constants[checked_index(values.pop("number"), len(constants), "a constant")]
        for parameter, value in values.items():
            made.add(parameter, value)
        return made

    def object_at(self, kind: str, number: Any) -> Any:
        """Return the slot of a tensor, or a generator."""
        if kind == "a":
            return Slot(checked_index(number, self.n_inputs, "an argument"))
        if kind == "w":
            return Slot(self.n_inputs + checked_index(number, self.n_outside, "a tensor from outside"))
        if kind == "%":
            return Slot(self.first + checked_index(number, self.n_values - self.first, "a result"))
        if kind == "generator":
            if number == "default":
                return wengert_core.default_generator
            generators = self.parts.generators
            return generators[checked_index(number, len(generators), "a generator")]
        raise ProgramFileError(f"a value that is not understood: {kind!r:.40}")

    def read_slot(self, place: Any) -> int:
        """Return the number of a tensor. Raises ProgramFileError."""
        slot = decode_value(place, self.object_at)
        if not isinstance(slot, Slot):
            raise ProgramFileError(f"a tensor is expected, not {place!r:.40}")
        return slot.number


def read_body(entry: Any, parts: Parts) -> PortableBody:
    """Return a body of a loop, which may name those before it. Raises ProgramFileError."""
    data = expect(entry, dict, "a body")
    if set(data) != {"inputs", "outside", "steps", "results"}:
        raise ProgramFileError("a body has other parts than those of its format")
    inputs = [None if one is None else parts.types[checked_index(one, len(parts.types), "a type")]
              for one in expect(data["inputs"], list, "a body")]  # fmt: skip
    n_outside = checked_index(data["outside"], 1 << 20, "a number of tensors")
    reader = StepReader(parts, sum(one is not None for one in inputs), n_outside)
    steps: list[Instruction] = []
    for one in expect(data["steps"], list, "a body"):
        step = reader.read_step(one)
        if not isinstance(step, Instruction) or isinstance(step.call, Numbers):
            raise ProgramFileError("a body reads numbers in Python")
        steps.append(step)
    places = expect(data["results"], list, "a body")
    body = PortableBody(inputs, n_outside, steps, [None if one is None else reader.read_slot(one) for one in places])
    if body.depth > MOST_NESTED:
        raise ProgramFileError(f"bodies are nested more than {MOST_NESTED} levels deep")
    return body


def numbers_step(values: dict[str, Any], line: str, kinds: list[Geometry]) -> Instruction:
    """Return a step that computes with Python's numbers."""
    tensors = expect(values["tensors"], list, "numbers")
    if not all(isinstance(one, Slot) for one in tensors):
        raise ProgramFileError("numbers: 'tensors' are no tensors")
    made = Instruction("numbers", line, Numbers(values["code"], values["results"], len(tensors)), kinds)
    made.add("tensors", tensors)
    return made


def checked_index(value: Any, size: int, what: str) -> int:
    """Return an index. Raises ProgramFileError."""
    if type(value) is not int or not 0 <= value < size:
        raise ProgramFileError(f"{what} is not there: number {value!r:.40} of {size}")
    return value
