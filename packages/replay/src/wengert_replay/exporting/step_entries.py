"""The entries of a program's steps in a file.

Note [Python functions and files]
    A replay calls Python functions that are marked by ``compiler.disable``; a file has none, so that a program with
    such a function is refused. One that gives settings has an attribute ``frozen_result``: a function without effects
    that returns the same. Tensors in it become tensors from outside, which the loaded program has by name. One that
    computes with numbers of its tensors has ``number_code``: a function that returns how, as lists, or None (Note
    [Numbers in files] in numbers.py). Another may have words for the refusal, as its attribute ``file_hint``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import wengert_core
from wengert_core.extend import Op, Tensor
from wengert_registry import registry

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.loop_entries import encode_loop
from wengert_replay.exporting.outside_tensors import tensors_from_outside
from wengert_replay.exporting.pseudo_ops import PARAMETERS
from wengert_replay.exporting.tensors import Geometry, bytes_of_storage, make_tensors
from wengert_replay.exporting.values import Unportable, encode_value
from wengert_replay.loops.loop import Loop
from wengert_replay.recording.python_calls import PythonCall
from wengert_replay.signature import flatten
from wengert_replay.trace.values import UnknownArgument, Value

if TYPE_CHECKING:
    from wengert_replay.exporting.saving import Writer
    from wengert_replay.loops.body import Body
    from wengert_replay.programs.program import Program
    from wengert_replay.trace.steps import Step


PYTHON_HINT = "call it before or behind the captured function, or let operations do what it does"
"""Words for the refusal of a Python function that has none of its own."""


class StepWriter:
    """The steps of one program, or of a loop's body, on their way to a file."""

    def __init__(self, file: Writer, calls: Iterable[Any], outside: list[int | None], depth: int = 0) -> None:
        """outside: the numbers of tensors from outside, by those of their values.   depth: bodies that it is in."""
        self.file, self.outside, self.depth = file, outside, depth
        calls = list(calls)
        self.functions = {call.step.number: call.function for call in calls if isinstance(call, PythonCall)}
        self.loops = {call.step.number: call for call in calls if isinstance(call, Loop)}
        self.slots: dict[int, str] = {}
        self.n_results = 0

    @classmethod
    def of_program(cls, file: Writer, program: Program) -> StepWriter:
        """Return what writes the steps of a program."""
        outside = [None if t is None else file.number_of(t) for t in tensors_from_outside(program)]
        return cls(file, program.calls.values(), outside)

    def for_body(self, body: Body) -> StepWriter:
        """Return what writes the steps of a loop's body."""
        return StepWriter(self.file, body.calls.values(), list(range(len(body.places))), self.depth + 1)

    def encode(self, step: Step) -> list[list[Any]]:
        """Return the entry of a step; none where the engine made what nobody has looked at."""
        where = f"{step.name} ({step.line})" if step.line else step.name
        if step.way == "python" and step.number not in self.loops:
            return self.freeze(step, where)
        if step.way == "error":
            raise ProgramFileError(f"the function caught an error of {where}: no file can hold a program that goes on "
                                   "behind an error; ask before with an if whether it would be raised")  # fmt: skip
        try:
            if step.number in self.loops:
                return [encode_loop(self, step, self.loops[step.number], where)]
            if isinstance(step.op, Op):
                return [self.encode_operation(step, step.op, where)]
            if step.name not in ENCODERS:
                raise ProgramFileError(f"{where} is no operation that a file can name: compute it before the captured "
                                       "function, and give it as an argument")  # fmt: skip
            if step.name in ("copy", "fill") and step.results[0].dtype is None and step.arguments[1] is None:
                return []
            name, arguments = ENCODERS[step.name](self, step, where)
            return [self.entry(step, "", name, PARAMETERS[name], arguments)]
        except Unportable as error:
            if str(error) == "Tensor":
                raise ProgramFileError(f"{where} uses a tensor that no operation has given: one in place kept it for "
                                       "its derivative, or it is a tangent; compute a new tensor there, and gradients "
                                       "in place of tangents") from None  # fmt: skip
            raise ProgramFileError(f"{where} has an argument of type {error}, which no file can hold: use numbers, "
                                   "tensors and words") from None  # fmt: skip

    def encode_operation(self, step: Step, op: Op, where: str) -> list[Any]:
        table = "core" if op.owner in ("", "core") else op.owner
        try:
            arguments = [encode_value(value, self.slot_of_object) for value in step.arguments]
        except Unportable:
            stored = b"" if step.way == "store" and 0 in step.results[0].shape else step.stored_bytes
            if stored is None:
                raise
            constant = self.constant(step.results[0], stored, 0, where)
            return self.entry(step, "", "constant", PARAMETERS["constant"], constant)
        return self.entry(step, table, op.name, op.params, arguments)

    def entry(
        self, step: Step, table: str, name: str, parameters: Iterable[str], arguments: list[Any], results: Any = None
    ) -> list[Any]:
        """Return the entry of a step: the number of its op, arguments, types of results, the number of its line.

        results: those of the step that are given; None: all.
        """
        op = self.file.ops.numbers.get((table, name))
        if op is None:
            described = describe_op(step.op, table, name, list(parameters))
            op = self.file.ops.number_of((table, name), described)
        types = []
        for value in step.results if results is None else results:
            self.slots[value.number] = f"%{self.n_results}"
            self.n_results += 1
            kind = step.arguments[1] if value.dtype is None else value  # bytes that were moved into a tensor
            key = (kind.dtype.name, kind.shape, kind.strides)
            types.append(self.file.types.number_of(key, key))
        line = os.path.basename(step.line)
        return [op, arguments, types, self.file.lines.number_of(line, line)]

    def freeze(self, step: Step, where: str) -> list[list[Any]]:
        """Let what a Python function gives be tensors from outside, or numbers that the program computes. Return the
        entry of those. Note [Python functions and files]
        """
        function = self.functions[step.number]
        numbers = getattr(function, "number_code", no_code)()
        if numbers is not None:
            return [self.encode_numbers(step, numbers)]
        if not hasattr(function, "frozen_result"):
            hint = getattr(function, "file_hint", PYTHON_HINT)
            raise ProgramFileError(f"the program calls the Python function {where}, which no file can hold: {hint}")
        tensors: list[Tensor] = []
        flatten(function.frozen_result(), tensors)
        key = (step.number, step.name, *map(bytes_of_storage, tensors))  # branches share their beginning
        for value, t in zip(step.results, self.file.frozen.setdefault(key, tensors), strict=True):
            self.slots[value.number] = f"w{self.file.number_of(t)}"
        return []

    def encode_numbers(self, step: Step, numbers: Any) -> list[Any]:
        """Return the entry of numbers, and let those of its results that are tensors be from outside."""
        key = (step.number, step.name, *map(bytes_of_storage, numbers.tensors))
        tensors = self.file.frozen.setdefault(key, numbers.tensors)
        places = [f"w{self.file.number_of(t)}" for t in tensors]
        known = dict(zip(map(id, numbers.tensors), places, strict=True))
        results = []
        for value, one in zip(step.results, numbers.results, strict=True):
            if id(one) in known:
                self.slots[value.number] = known[id(one)]
            else:
                results.append((value, one))
        arguments = [
            [*map(self.slot_of, step.arguments[0]), *places],
            [[encode_value(one, no_slot) for one in entry] for entry in numbers.code],
            [encode_value(one, no_slot) for _, one in results],
        ]
        return self.entry(step, "", "numbers", PARAMETERS["numbers"], arguments, [value for value, _ in results])

    # ---- what the engine does

    def encode_store(self, step: Step, where: str) -> tuple[str, list[Any]]:
        data, offset = step.arguments
        return "constant", self.constant(step.results[0], data, offset, where)

    def encode_copy(self, step: Step, _where: str) -> tuple[str, list[Any]]:
        source, kind = step.arguments[0], step.results[0]
        if isinstance(source, Value) and source.shape != kind.shape and kind.dtype not in (None, source.dtype):
            raise Unportable("Tensor")
        return "copy", [encode_value(value, self.slot_of_object) for value in step.arguments]

    def encode_fill(self, step: Step, _where: str) -> tuple[str, list[Any]]:
        data, into = step.arguments
        kind = into if step.results[0].dtype is None else step.results[0]
        (number,) = numbers_of(data, kind.dtype)
        return "fill", [encode_value(value, self.slot_of_object) for value in (number, into)]

    def encode_view(self, step: Step, _where: str) -> tuple[str, list[Any]]:
        base, offset = step.arguments[0], step.arguments[4]
        if not isinstance(base, Value):
            raise Unportable("Tensor")
        return "view", [self.slot_of(base), offset]

    def encode_guard(self, step: Step, _where: str) -> tuple[str, list[Any]]:
        value, data = step.arguments
        if not isinstance(value, Value) or len(data) % value.dtype.itemsize:
            raise Unportable("Tensor")
        return "guard", [self.slot_of(value), encode_value(numbers_of(data, value.dtype), no_slot)]

    # ---- parts of entries

    def constant(self, value: Value, data: bytes, offset: int, where: str) -> list[Any]:
        """Note a tensor of Python data, and return the arguments of its entry."""
        size = value.dtype.itemsize
        entry = {"dtype": value.dtype.name, "shape": list(value.shape), "strides": list(value.strides)}
        kind = Geometry({**entry, "offset": offset // size}, where)
        if kind.end * size > len(data) or offset % size:
            raise ProgramFileError(f"{where} is a tensor of Python data that lies beyond its memory")
        return [self.file.constant_number(data, value.dtype), kind.offset]

    def slot_of(self, value: Value | None) -> str:
        """Return the place of a tensor. None: one that no step knows."""
        if value is None:
            raise ProgramFileError("a result is computed by no operation that a file can name, as a tangent is: "
                                   "compute gradients in its place")  # fmt: skip
        if value.kind == "result":
            if value.number not in self.slots:
                raise ProgramFileError(f"the tensor {value.name} is used where no operation has made it")
            return self.slots[value.number]
        if value.kind == "input":
            return f"a{value.number}"
        number = self.outside[value.number]
        if number is None:
            raise ProgramFileError(f"the tensor {value.name} from outside is gone: keep it in a variable")
        return f"w{number}"

    def slot_of_object(self, value: Any) -> Any:
        """Return the place of a tensor or a generator; None for another object."""
        if isinstance(value, wengert_core.Generator):
            return {"generator": self.file.generator_number(value)}
        if isinstance(value, UnknownArgument):
            raise Unportable(value.type_name)
        return self.slot_of(value) if isinstance(value, Value) else None


ENCODERS = {
    "store": StepWriter.encode_store,
    "copy": StepWriter.encode_copy,
    "fill": StepWriter.encode_fill,
    "view": StepWriter.encode_view,
    "guard": StepWriter.encode_guard,
}
"""Entries for steps that are no operations."""


def describe_op(op: Any, table: str, name: str, parameters: list[str]) -> dict[str, Any]:
    """Return the entry of an operation."""
    entry: dict[str, Any] = {"table": table, "name": name, "parameters": parameters}
    if table == "core":
        entry["row"] = op.public_name or (op.out_of_place or op).public_name
    elif table:
        candidate = registry.group("ops").current(table)
        entry["package"] = "" if candidate is None else str(candidate.distribution)
    return entry


def no_code() -> None:
    """Return no code: a function that does not say how its numbers are computed."""


def no_slot(_value: Any) -> None:
    """Numbers alone have no places."""


def numbers_of(data: bytes, dtype: Any) -> list[Any]:
    """Return the numbers that these bytes are."""
    kind = Geometry({"dtype": dtype.name, "shape": [len(data) // dtype.itemsize], "strides": [1]}, "numbers")
    return list(make_tensors([kind], data)[0].tolist())
