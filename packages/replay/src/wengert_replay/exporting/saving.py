"""Programs to files: the operations of a program by name, with their arguments and the tensors from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import wengert_core
from wengert_core.extend import Tensor, short_repr

from wengert_replay.exporting.document import FilePath, State, check_output, is_same_step, pack_program, write_file
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.gradients import encode_gradients
from wengert_replay.exporting.step_entries import StepWriter
from wengert_replay.exporting.structures import encode_structure
from wengert_replay.exporting.tensors import Geometry, address_of, describe_tensor, make_tensors
from wengert_replay.exporting.values import DTYPES, Unportable
from wengert_replay.inspection.state import storage_key
from wengert_replay.programs.program import Program

REQUIRES_GRAD = 1
"""The flag of tensors that arguments.pyx calls WG_GRAD."""


def save_program(program: Program, path: FilePath, names: Mapping[str, Tensor] | None = None) -> None:
    """Write a program, with the tensors from outside as they are now, to a file that ``load`` reads.

    path: a path, or a file that is open for writing bytes.   names: names of tensors from outside, such as
    ``dict(model.named_parameters())``; the others are called ``w0``, ``w1``, ... Names of tensors that the program does
    not use are left out; if that are all of them, it is an error.
    The file is in the format safetensors; nothing in it is a pickle. Branches behind numbers that Python reads are
    written too, and so are loops of ``wengert.func``, with their gradients. Raises ProgramFileError where the program
    calls Python functions, has arguments that no file can hold, or has a result with a graph.
    """
    if type(program) is not Program:
        raise ProgramFileError("a result of the program has a graph: record the function under no_grad() to save it")
    if program.trunk is not None:
        return save_program(program.trunk, path, names)
    check_output(path)
    names = checked_names(names)
    writer = Writer()
    text = writer.text(program, names)
    tensors = dict(zip(writer.names, writer.outside, strict=True))
    return write_file(path, pack_program(text, State(tensors, writer.constants, writer.generators)))


def checked_names(names: Any) -> Mapping[str, Tensor]:
    """Return names of tensors. Raises TypeError for another argument."""
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        raise TypeError("save(): argument 'names' must be a mapping of names to tensors, such as "
                        f"dict(model.named_parameters()), not {type(names).__name__}")  # fmt: skip
    for name, t in names.items():
        if not isinstance(name, str):
            raise TypeError(f"save(): argument 'names' must have strings as keys, got {short_repr(name)}")
        if not isinstance(t, Tensor):
            raise TypeError(f"save(): argument 'names' must have tensors as values, got {type(t).__name__} as {name!r}")
    return names


class Table:
    """Entries that are named by their numbers, each once."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.entries: list[Any] = []

    def number_of(self, key: Any, entry: Any) -> int:
        """Return the number of an entry, which is added where it is new."""
        if key not in self.numbers:
            self.numbers[key] = len(self.entries)
            self.entries.append(entry)
        return self.numbers[key]


class Writer:
    """A file that is written: what the programs of a tree share."""

    def __init__(self) -> None:
        self.outside: list[Tensor] = []
        self.constants: list[Tensor] = []
        self.generators: list[Any] = []
        self.links: dict[int, int] = {}
        self.frozen: dict[Any, list[Tensor]] = {}
        self.names: list[str] = []
        self.ops, self.types, self.lines, self.stored_bytes, self.memory = Table(), Table(), Table(), Table(), Table()
        self.bodies = Table()

    def text(self, program: Program, names: Mapping[str, Tensor]) -> dict[str, Any]:
        """Return the JSON text, without what State holds."""
        structure, described, _, (default_dtype, *_), *_ = program.key
        nodes: list[dict[str, Any]] = []
        self.add_nodes(program, nodes)
        self.names = self.name_tensors(names)
        return {
            "arguments": portable_structure(structure, "an argument"),
            "inputs": [describe_input(entry) for entry in described],
            "default_dtype": default_dtype.name,
            "nodes": nodes,
            "ops": self.ops.entries,
            "types": self.types.entries,
            "lines": self.lines.entries,
            "tensors": [
                {"requires_grad": t.requires_grad, "gradient": self.links.get(i)} for i, t in enumerate(self.outside)
            ],
            "constants": [{} for _ in self.constants],
            "generators": len(self.generators),
            **({"bodies": self.bodies.entries} if self.bodies.entries else {}),
        }

    def add_nodes(self, program: Program, nodes: list[dict[str, Any]]) -> None:
        """Add the entries of a program and of its branches, each behind its trunk."""
        left: list[tuple[Program, int | None, list[Any]]] = [(program, None, [])]
        while left:
            program, trunk, beginning = left.pop()
            number, entries = len(nodes), self.add_node(program, trunk, beginning, nodes)
            if entries is not None:
                left += [(branch, number, entries) for branch in reversed(program.branches)]

    def add_node(
        self, program: Program, trunk: int | None, beginning: list[Any], nodes: list[dict[str, Any]]
    ) -> list[Any] | None:
        """Add the entry of a program; return its steps. None: it has no entry. beginning: the steps of the trunk."""
        if program.is_stale():
            raise ProgramFileError("a tensor from outside has other memory than when the program was recorded: call "
                                   "the function once more, and save the program of that call")  # fmt: skip
        steps = StepWriter.of_program(self, program)
        entries = [entry for step in program.steps for entry in steps.encode(step)]
        at = fork_of(entries, beginning) if trunk is not None else 0
        if at is None or (trunk is not None and not is_same_step(entries[at], beginning[at])):
            return None  # it leaves the trunk at what no file can hold
        nodes.append({
            "trunk": trunk,
            "at": at,
            "steps": entries[at:],
            "result": portable_structure(program.shape, "the result"),
            "results": [encode_result(steps.slot_of(value), getattr(plan, "form", ""))
                        for value, plan in zip(program.result_values, program.results, strict=True)],
            "gradients": encode_gradients(program, self, steps.slot_of),
        })  # fmt: skip
        return entries

    # ---- what State holds

    def number_of(self, t: Tensor, is_leaf: bool = False) -> int:
        """Return the number of a tensor from outside; tensors with the same elements of the same memory have one.

        is_leaf: it is this object that has a gradient.
        """
        number = self.memory.number_of(key_of(t), None)
        if number == len(self.outside):
            self.outside.append(t)
        elif is_leaf:
            self.outside[number] = t
        return number

    def constant_number(self, data: bytes, dtype: Any) -> int:
        """Return the number of stored numbers."""
        number = self.stored_bytes.number_of((data, dtype.name), None)
        if number == len(self.constants):
            n = len(data) // dtype.itemsize
            whole = Geometry({"dtype": dtype.name, "shape": [n], "strides": [1]}, "a constant")
            self.constants += make_tensors([whole], data[: n * dtype.itemsize])
        return number

    def generator_number(self, generator: Any) -> int | str:
        """Return the number of a generator."""
        if generator is wengert_core.default_generator:
            return "default"
        if generator not in self.generators:
            self.generators.append(generator)
        return self.generators.index(generator)

    def name_tensors(self, names: Mapping[str, Tensor]) -> list[str]:
        """Return the names of the tensors from outside."""
        memory = {address_of(t) for t in self.outside if t.numel()}
        for t in names.values():
            if address_of(t) in memory:  # a view of a tensor that the program has
                self.number_of(t)
        found: list[str] = []
        numbers = {key_of(t): i for i, t in enumerate(self.outside)}
        known = {numbers[key_of(t)]: name for name, t in names.items() if key_of(t) in numbers}
        if names and self.outside and not known:
            shown = ", ".join(describe_tensor(t.dtype, tuple(t.shape), t.requires_grad) for t in self.outside[:4])
            raise ProgramFileError(f"names: the program uses none of the tensors {', '.join(list(names)[:4])!s:.80}; "
                                   f"it uses {len(self.outside)} from outside: {shown}")  # fmt: skip
        for i in range(len(self.outside)):
            name = known.get(i, f"w{i}")
            if name in found or (i not in known and name in names):
                raise ProgramFileError(f"names: {name!r:.60} would be the name of two tensors, as those without a name "
                                       "are called w0, w1, ...: use another one")  # fmt: skip
            found.append(name)
        return found


def key_of(t: Tensor) -> Any:
    """Return what is equal for tensors with the same elements of the same storage."""
    return (storage_key(t), t.data_ptr(), t.dtype, tuple(t.shape), t.stride()) if t.numel() else id(t)


def fork_of(entries: list[Any], beginning: list[Any]) -> int | None:
    """Return where a branch leaves the steps of its trunk; None where it does not."""
    for i, (entry, other) in enumerate(zip(entries, beginning, strict=False)):
        if entry != other:
            return i
    return None


def encode_result(place: str, form: str) -> Any:
    """Return a result as JSON has it: the place of a tensor, with the form that the function gives it."""
    return {form: place} if form else place


def portable_structure(structure: Any, what: str) -> dict[str, Any]:
    """Return a structure of arguments or results as JSON has it. Raises ProgramFileError."""
    try:
        return encode_structure(structure)
    except Unportable as error:
        raise ProgramFileError(f"{what} is of type {error}, which no file can hold: use tensors, numbers, words, None, "
                               "and tuples, lists and dicts of them") from None  # fmt: skip


def describe_input(described: tuple[Any, ...]) -> dict[str, Any]:
    """Return the entry of an argument that ``describe_tensors`` (arguments.pyx) has described."""
    _, code, packed, flags, *_ = described
    dtype = next(one for one in DTYPES.values() if one.code == code)
    numbers = memoryview(packed).cast("q").tolist()
    rank = len(numbers) // 2
    return {
        "dtype": dtype.name,
        "shape": numbers[:rank],
        "strides": [step // dtype.itemsize for step in numbers[rank:]],
        "requires_grad": bool(flags & REQUIRES_GRAD),
    }
