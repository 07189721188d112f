"""Programs from files: everything is checked before anything is made of it.

Note [What a file can do]
    It can call operations of the tables of operations, by name, with numbers, words and tensors: these neither read
    files nor call Python functions of others, and check their arguments themselves. It cannot refer to a tensor before
    it is made, give a tensor other memory (NOT_IN_FILES in operations.py), or ask for results larger than the machine's
    memory. How long its operations take, and how much memory they need, is the program's matter.
"""

from __future__ import annotations

import os
from itertools import accumulate
from typing import Any

import wengert_core

from wengert_replay.exporting.container import Array, parse_json, text_of, unpack_arrays
from wengert_replay.exporting.document import (
    FORMAT,
    TEXT,
    VERSION,
    VERSION_WITH_BODIES,
    FilePath,
    State,
    is_same_step,
    read_file,
)
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.nodes import RESULT_FORMS, GradientRule, Node, plan_all_drops
from wengert_replay.exporting.operations import read_op
from wengert_replay.exporting.portable import PortableProgram
from wengert_replay.exporting.step_reader import Parts, StepReader, checked_index, read_body
from wengert_replay.exporting.structures import check_structure, refuse_object
from wengert_replay.exporting.tensors import FORMAT_NAMES, Geometry, make_tensors
from wengert_replay.exporting.values import DTYPES, decode_value, expect, look_up_in, one_pair

FIELDS = {
    "arguments": dict, "inputs": list, "default_dtype": str, "nodes": list, "ops": list, "types": list, "lines": list,
    "tensors": list, "constants": list, "generators": int,
}  # fmt: skip
"""The parts of the text, and their types."""
FIELDS_BY_VERSION = {VERSION: FIELDS, VERSION_WITH_BODIES: {**FIELDS, "bodies": list}}


def load(path: FilePath) -> PortableProgram:
    """Return the program of a file that ``Program.save`` wrote. It needs no Python function of the process that did.

    path: a path, or a file that is open for reading bytes.
    Nothing of a file is executed but operations of the installed packages, by name, when the program is called. Raises
    ProgramFileError for a file that is damaged, of a later version, or whose operations are not installed.

    >>> import io, wengert as wg
    >>> weight = wg.tensor([1.0, 2.0])
    >>> step = wg.capture(lambda x: (weight * x).sum())
    >>> _ = step(wg.ones(2))
    >>> file = io.BytesIO()
    >>> wg.replay.explain(step).programs[0].save(file, names={"weight": weight})
    >>> _ = file.seek(0)
    >>> program = wg.replay.load(file)
    >>> program(wg.tensor([3.0, 4.0]))
    tensor(11.)
    >>> program.tensors["weight"].zero_()
    tensor([0., 0.])
    >>> program(wg.tensor([3.0, 4.0]))
    tensor(0.)
    """
    data = read_file(path)
    try:
        return read_program(data)
    except ProgramFileError as error:
        name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
        if not isinstance(name, (str, os.PathLike)):
            raise
        raise ProgramFileError(f"{os.fspath(name)!s}: {error}") from error.__cause__


def read_program(data: bytes) -> PortableProgram:
    """Return the program in the bytes of a file. Raises ProgramFileError."""
    arrays, metadata = unpack_arrays(data)
    if metadata.get("format") != FORMAT or TEXT not in arrays:
        raise ProgramFileError("the file holds arrays, and no program of wengert-replay")
    if metadata.get("version") not in FIELDS_BY_VERSION:
        raise ProgramFileError(
            f"the file has version {metadata.get('version')!r:.20} of its format, and this wengert-replay reads the "
            f"versions {' and '.join(FIELDS_BY_VERSION)}: a newer one may read it"
        )
    text = parse_json(text_of(arrays.pop(TEXT)), "the program")
    try:
        return Reader(text, arrays, FIELDS_BY_VERSION[metadata["version"]]).program()
    except (RuntimeError, MemoryError, OverflowError) as error:  # of tensors that are made
        raise ProgramFileError(f"a tensor of the file cannot be made: {error}") from error


class Reader:
    """A program on its way from a file."""

    def __init__(self, text: Any, arrays: dict[str, Array], fields: dict[str, type]) -> None:
        if not isinstance(text, dict) or set(text) != set(fields):
            raise ProgramFileError("the text of the program has other parts than those of its format")
        for name, kind in fields.items():
            expect(text[name], kind, f"the part '{name}'")
        self.text = text
        self.arrays = arrays
        self.inputs = [self.read_input(entry) for entry in text["inputs"]]
        self.state = State(self.read_tensors(), self.read_constants(), self.read_generators())
        if self.arrays:
            raise ProgramFileError(f"the file has an array that the program does not use: '{next(iter(self.arrays))}'")
        parts = Parts(
            [read_op(entry) for entry in text["ops"]],
            [self.read_type(entry) for entry in text["types"]],
            [expect(line, str, "a line") for line in text["lines"]],
            self.state.constants,
            self.state.generators,
            [],
        )
        for entry in text.get("bodies", ()):
            parts.bodies.append(read_body(entry, parts))
        self.steps = StepReader(parts, len(self.inputs), len(self.state.tensors))
        self.nodes: list[Node] = []
        self.n_before: dict[int, int] = {}
        self.n_given: dict[int, list[int]] = {}  # the tensors that the first steps of a node give, by their number
        self.entries: dict[int, Any] = {}

    def program(self) -> PortableProgram:
        """Return the program."""
        text = self.text
        check_structure(text["arguments"], len(self.inputs))
        check_call(text["arguments"])
        for entry in text["nodes"]:
            self.nodes.append(self.read_node(entry))
        if not self.nodes:
            raise ProgramFileError("the program has no steps")
        plan_all_drops(self.nodes, self.steps.first, self.n_before)
        default_dtype = look_up_in(DTYPES, "dtype")(text["default_dtype"])
        if not default_dtype.is_floating_point:
            raise ProgramFileError(f"the default dtype is {default_dtype.name}, which has no fractions")
        return PortableProgram(text, self.state, self.inputs, self.nodes[0], default_dtype)

    # ---- tensors

    def take_array(self, name: str, used: dict[str, Array] | None = None) -> Array:
        """Return an array and strike it off the list of those that are not used."""
        array = self.arrays.pop(name, None) or (used or {}).get(name)
        if array is None:
            raise ProgramFileError(f"the file has no array '{name:.60}'")
        if used is not None:
            used[name] = array
        return array

    def read_input(self, entry: Any) -> tuple[Geometry, bool]:
        data = expect(entry, dict, "an input")
        kind = Geometry({**data, "offset": 0}, "an input")
        return kind, expect(data.get("requires_grad"), bool, "an input")

    def read_all(self, entries: list[Any], what: str) -> list[tuple[str, Any, dict[str, Any]]]:
        """Return the array's name, the tensor and the entry of each of these entries."""
        groups: dict[str, list[int]] = {}
        kinds = []
        for i, entry in enumerate(entries):
            kinds.append(Geometry(expect(entry, dict, what), what))
            groups.setdefault(expect(entry.get("array"), str, what), []).append(i)
        found: dict[int, Any] = {}
        for name, members in groups.items():
            array = self.take_array(name)
            first = kinds[members[0]]
            if array.dtype not in ("U8", FORMAT_NAMES.get(first.dtype.name)):
                raise ProgramFileError(f"the array '{name}' has dtype {array.dtype}, its tensor {first.dtype.name}")
            storages = [checked_index(entries[i].get("storage", 0), len(entries), "a storage") for i in members]
            made = make_tensors([kinds[i] for i in members], array.data, storages)
            found.update(zip(members, made, strict=True))
        return [(entry["array"], found[i], entry) for i, entry in enumerate(entries)]

    def read_tensors(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        entries = self.read_all(self.text["tensors"], "a tensor from outside")
        for _, t, entry in entries:
            name = expect(entry.get("name"), str, "a tensor from outside")
            if name in found:
                raise ProgramFileError(f"two tensors have the name '{name:.60}'")
            if expect(entry.get("requires_grad"), bool, f"'{name:.60}'"):
                t.requires_grad_()
            found[name] = t
        tensors = list(found.values())
        for t, (_, _, entry) in zip(tensors, entries, strict=True):
            link = entry.get("gradient")
            if link is not None:
                t.grad = tensors[checked_index(link, len(tensors), "a gradient")]
        return found

    def read_constants(self) -> list[Any]:
        constants = [t for _, t, _ in self.read_all(self.text["constants"], "a constant")]
        if any(t.ndim != 1 or not t.is_contiguous() for t in constants):
            raise ProgramFileError("a constant is no sequence of numbers")
        return constants

    def read_generators(self) -> list[Any]:
        found = []
        for i in range(self.text["generators"]):
            array = self.take_array(f"generators.{i}")
            kind = Geometry({"dtype": "uint8", "shape": [len(array.data)], "strides": [1]}, "a generator")
            try:
                found.append(wengert_core.Generator().set_state(make_tensors([kind], array.data)[0]))
            except (ValueError, TypeError, RuntimeError, OverflowError) as error:
                raise ProgramFileError(f"the state of a generator is malformed: {error}") from error
        return found

    def read_type(self, entry: Any) -> Geometry:
        if not isinstance(entry, list) or len(entry) != 3:
            raise ProgramFileError("a type is made of a dtype, sizes and strides")
        kind = Geometry({"dtype": entry[0], "shape": entry[1], "strides": entry[2]}, "a result")
        if kind.dtype.itemsize * kind.end > memory_size() and min(kind.strides, default=1):
            raise ProgramFileError(f"a result of {kind.numel} elements does not fit into memory")
        return kind

    # ---- steps

    def read_node(self, entry: Any) -> Node:
        """Return a way of the program, and let its trunk know it."""
        data = expect(entry, dict, "a way of the program")
        if set(data) != {"trunk", "at", "steps", "result", "results", "gradients"}:
            raise ProgramFileError("a way of the program has other parts than those of its format")
        trunk, at = self.read_trunk(data["trunk"], data["at"])
        n_values = self.steps.n_values
        steps = [self.steps.read_step(one) for one in expect(data["steps"], list, "a way of the program")]
        node = Node(at, steps, data["result"])
        for one in expect(data["results"], list, "the result"):
            form, place = one_pair(one)[0] if isinstance(one, dict) else ("", one)
            if form and form not in RESULT_FORMS:
                raise ProgramFileError(f"a result in a form that is not known: {form!r:.40}")
            node.results.append(self.steps.read_slot(place))
            node.forms.append(form)
        node.rules = [self.read_rule(rule) for rule in expect(data["gradients"], list, "the gradients")]
        check_structure(node.result, len(node.results))
        self.n_before[id(node)] = n_values
        self.n_given[id(node)] = [0, *accumulate(len(step.kinds) for step in steps)]
        if trunk is not None:
            entries = self.entries[id(trunk)][at - trunk.at : at - trunk.at + 1], data["steps"][:1]
            if (
                not steps
                or not is_same_step(*[one[0] for one in entries])
                or steps[0].signature == trunk.steps[at - trunk.at].signature
                or steps[0].signature in trunk.branches.get(at, ())
            ):
                raise ProgramFileError("a branch does not begin with the step where it leaves its trunk")
            trunk.branches.setdefault(at, {})[steps[0].signature] = node
        self.entries[id(node)] = data["steps"]
        return node

    def read_trunk(self, trunk: Any, at: Any) -> tuple[Node | None, int]:
        """Return what a branch leaves, and at which step; ``n_values`` becomes the number of tensors there."""
        self.steps.n_values = self.steps.first
        if not self.nodes:
            if trunk is not None or at != 0:
                raise ProgramFileError("the first way of the program begins at its first step")
            return None, 0
        node = self.nodes[checked_index(trunk, len(self.nodes), "a trunk")]
        steps = checked_index(at, node.at + len(node.steps), "a step") - node.at
        if steps < 0:
            raise ProgramFileError("a branch leaves its trunk before that begins")
        self.steps.n_values = self.n_before[id(node)] + self.n_given[id(node)][steps]
        return node, at

    def read_rule(self, entry: Any) -> GradientRule:
        data = expect(entry, dict, "a gradient")
        before, changes = (expect(data.get(name), bool, "a gradient") for name in ("before", "changes"))
        read_slot = self.steps.read_slot
        leaf, after = read_slot(data.get("leaf")), data.get("after")
        if leaf >= self.steps.first:
            raise ProgramFileError("a gradient belongs to an argument or a tensor from outside")
        uses = None if data.get("uses") is None else read_slot(data["uses"])
        return GradientRule(leaf, before, uses, changes, None if after is None else read_slot(after))


def check_call(arguments: dict[str, Any]) -> None:
    """Raise ProgramFileError where a structure is not that of positional and keyword arguments."""
    parts = arguments.get("tuple")
    if not isinstance(parts, list) or len(parts) != 2 or "tuple" not in parts[0] or "dict" not in parts[1]:
        raise ProgramFileError("the arguments are no positional and keyword arguments")
    if not all(isinstance(decode_value(key, refuse_object), str) for key, _ in parts[1]["dict"]):
        raise ProgramFileError("a keyword is no word")


def memory_size() -> int:
    """Return the bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
