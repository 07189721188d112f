"""Operations of a file: which of the installed ones they are, and how they are called."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from wengert_core.extend import Op, find_op
from wengert_registry import PluginError, registry

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.instructions import Instruction
from wengert_replay.exporting.pseudo_ops import PARAMETERS
from wengert_replay.exporting.tensors import Geometry
from wengert_replay.exporting.values import expect

NOT_IN_FILES = frozenset({"set_", "resize_", "resize_as_", "frombuffer", "from_file"})
"""Operations that no recording has: they change a tensor's memory, or read memory that is none."""
SEQUENCE = re.compile(r"\*\s*(\w+)")
"""Parameters of a schema for which an int does not stand when it is passed by name."""
ABSENT = re.compile(r"[^?\s]\s(\w+)=None\b")
"""Parameters of a schema that are None where a call leaves them out, and that may not be given as None."""
DEFAULT = re.compile(r"(\w+)=([\w.-]+)")
"""Parameters of a schema with their defaults."""
FACTORIES = ("factory", "random")
"""The families of operations whose result is as large as an argument says."""


class OpEntry(NamedTuple):
    """An operation of a file."""

    name: str
    op: Any
    """The Op; None: a step of the engine."""
    parameters: list[str]
    sequences: list[str]
    """Parameters for which a tuple is passed where an int was recorded."""
    absent: list[str]
    """Parameters that are left out where they are None."""


def read_op(entry: Any) -> OpEntry:
    """Return the operation of an entry. Raises ProgramFileError, with what is missing."""
    data = expect(entry, dict, "an operation")
    table, name, parameters = data.get("table"), data.get("name"), data.get("parameters")
    if not isinstance(table, str) or not isinstance(name, str) or not isinstance(parameters, list):
        raise ProgramFileError("an operation has a table, a name and parameters")
    if not table:
        if name not in PARAMETERS or parameters != list(PARAMETERS[name]):
            raise ProgramFileError(f"a step that is not known: {name!r:.40}")
        return OpEntry(name, None, parameters, [], [])
    if table == "core":
        op = find_core_op(name, data.get("row"))
    else:
        op = find_plugin_op(table, name, data.get("package"))
    if name in NOT_IN_FILES:
        raise ProgramFileError(f"the operation '{name}' is in no file: it changes or reads memory of others")
    if not all(one in op.params for one in parameters) or len(set(parameters)) < len(parameters):
        raise ProgramFileError(f"the operation '{name}' has not these parameters here: {parameters!r:.200}")
    return OpEntry(name, op, parameters, SEQUENCE.findall(op.schema), ABSENT.findall(op.schema))


def find_core_op(name: str, row: Any) -> Op:
    """Return an operation of wengert-core. row: the name that its module is known by, which loads it."""
    for key in (row, name):
        try:
            op = find_op(key) if isinstance(key, str) else None
        except KeyError:
            continue
        if op is not None and op.name == name and op.owner in ("", "core"):
            return op
    raise ProgramFileError(f"this version of wengert-core has no operation '{name:.60}'")


def find_plugin_op(table: str, name: str, package: Any) -> Op:
    """Return an operation of another package's table. Raises ProgramFileError, with what is missing."""
    try:
        plugin: Any = registry.group("ops").get(table)
    except PluginError as error:
        origin = f" of the package {package:.60}" if isinstance(package, str) else ""
        raise ProgramFileError(f"the program uses the operation '{table:.60}::{name:.60}'{origin}: {error}") from error
    for one in plugin.ops.values():
        if isinstance(one, Op) and one.name == name and one.owner == table:
            return one
    raise ProgramFileError(f"the table of operations '{table}' has no operation '{name:.60}'")


def instruction(op: OpEntry, line: str, values: dict[str, Any], kinds: list[Geometry]) -> Instruction:
    """Return the instruction of an operation."""
    made = Instruction(op.name, line, op.op, kinds)
    for name in op.sequences:
        if type(values.get(name)) is int:
            values[name] = (values[name],)
    if op.op.family in FACTORIES and kinds:
        for name, expected in (("size", kinds[0].shape), ("stride", kinds[0].strides)):
            if values.get(name, expected) not in (expected, None):
                raise ProgramFileError(f"{made.words} is called for another {name} than that of its result")
    left_out = {name for name in op.absent if values.get(name) is None}
    if left_out:  # and with them what has its default: keepdim=False is refused without dim
        defaults = DEFAULT.findall(op.op.schema)
        left_out |= {name for name, text in defaults if text == repr(values.get(name))}
    for name, value in values.items():
        if name not in left_out:
            made.add(name, value)
    return made
