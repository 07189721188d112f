"""The text of a program in a file, and what makes a file of it.

Note [A program in a file]
    The array ``program`` is a JSON text: the structures of arguments and results, the tensors from outside, and the
    operations in their order, each with the place of each tensor that it gets (values.py). Nothing can refer to what
    comes later. Operations have names, which are looked up in the tables of operations (``ops``); those that
    the engine does without an operation have names of their own (pseudo_ops.py) and the table "".
    A result is the place of a tensor, or ``{"detached": place}``, ``{"data": place}``, ``{"leaf": place}``.
    Loops have bodies, which stand in a table of their own (Note [Loops in files] in loop_entries.py).
"""

from __future__ import annotations

import io
import json
import os
import secrets
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import wengert_core
from wengert_core.extend import Tensor

from wengert_replay.exporting.container import Array, pack_arrays
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.tensors import Region, array_of, regions_of
from wengert_replay.inspection.state import storage_key

FORMAT = "wengert.program"
VERSION, VERSION_WITH_BODIES = "1", "2"
"""Of the format: files of the second have the part "bodies". Those without loops are of the first."""
TEXT = "program"
"""The array with the JSON text."""

FilePath = str | os.PathLike[str] | BinaryIO


class State:
    """The parts of a program beside its text: tensors from outside, constants and generators."""

    def __init__(self, tensors: dict[str, Tensor], constants: list[Tensor], generators: list[Any]) -> None:
        self.tensors = tensors
        self.constants = constants
        self.generators = generators


def pack_program(text: dict[str, Any], state: State) -> list[bytes | memoryview]:
    """Return the parts of a file with a program and its state now."""
    arrays: dict[str, Array] = {}
    entries = [{**entry, "name": name} for entry, name in zip(text["tensors"], state.tensors, strict=True)]
    add_tensors(arrays, entries, [f"tensors.{name}" for name in state.tensors], list(state.tensors.values()))
    constants = [dict(entry) for entry in text["constants"]]
    add_tensors(arrays, constants, [f"constants.{i}" for i in range(len(constants))], state.constants)
    for i, generator in enumerate(state.generators):
        arrays[f"generators.{i}"] = array_of(generator.get_state())
    whole = {**text, "tensors": entries, "constants": constants}
    data = json.dumps(whole, separators=(",", ":"), allow_nan=False).encode()
    arrays[TEXT] = Array("U8", (len(data),), data)
    version = VERSION_WITH_BODIES if "bodies" in text else VERSION
    metadata = {"format": FORMAT, "version": version, "wengert": wengert_core.__version__}
    return pack_arrays(arrays, metadata)


def add_tensors(
    arrays: dict[str, Array], entries: list[dict[str, Any]], names: list[str], tensors: Sequence[Tensor]
) -> None:
    """Add the arrays of tensors, one for all storages that overlap, and say in the entries where they are."""
    regions = regions_of([t for t in tensors if t.numel()])
    owners: dict[int, str] = {}
    for entry, name, t in zip(entries, names, tensors, strict=True):
        entry.pop("storage", None)  # of the file that a loaded program is from
        region = regions[storage_key(t)] if t.numel() else Region([t])
        owner = owners.setdefault(id(region), name) if t.numel() else name
        if owner == name:
            arrays[name] = region.array(t)
        entry.update(region.geometry(t), array=owner)


def write_file(path: FilePath, parts: list[bytes | memoryview]) -> None:
    """Write a file, or to an open one. A file that is there already stays as it is where an error comes."""
    if not isinstance(path, (str, os.PathLike)):
        write_parts(path, parts)
        return
    target = Path(os.path.realpath(Path(path)))  # a link stays one
    is_there = target.exists()
    if is_there and not (target.is_file() and os.access(target.parent, os.W_OK)):  # a device, a pipe, a folder
        with target.open("wb") as file:
            write_parts(file, parts)
        return
    with replace_file(target, is_there) as file:
        write_parts(file, parts)


@contextmanager
def replace_file(target: Path, is_there: bool) -> Generator[BinaryIO, None, None]:
    """Give a file beside the target, which takes its place, name and permissions if no error comes.

    is_there: so is the target.
    """
    if is_there:
        with target.open("ab"):  # PermissionError for one that may not be written
            mode = stat.S_IMODE(target.stat().st_mode)
    temporary = target.with_name(f".wengert-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if is_there:
            temporary.chmod(mode)
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(target)
        raise


def write_parts(file: Any, parts: list[bytes | memoryview]) -> None:
    """Write all bytes to an open file, also to one that takes a part of them at a time. Raises OSError."""
    for part in parts:
        left = part
        while len(left):
            n = file.write(left)
            if n is None and not isinstance(file, io.RawIOBase):  # a writer that does not say takes all
                break
            if type(n) is not int or not 0 < n <= len(left):
                raise OSError(f"save(): the file takes {n} of {len(left)} bytes")
            left = memoryview(left).cast("B")[n:]


def check_output(path: Any) -> None:
    """Raise TypeError for what is no path and no file that is open for writing bytes, before anything is written."""
    if isinstance(path, (str, os.PathLike)):
        return
    if not hasattr(path, "write"):
        raise TypeError("save(): argument 'path' (position 1) must be a path or a file that is open for writing bytes, "
                        f"not {type(path).__name__}")  # fmt: skip
    if isinstance(path, io.TextIOBase):
        raise TypeError("save(): the file is open for text: open it with 'wb'")
    if hasattr(path, "writable") and not path.writable():
        raise io.UnsupportedOperation("save(): the file is open for reading: open it with 'wb'")


def read_file(path: Any) -> bytes:
    """Return the contents of a file, or of what is left of an open one."""
    if isinstance(path, (str, os.PathLike)):
        return Path(path).read_bytes()
    if not hasattr(path, "read"):
        hint = ": io.BytesIO makes a file of them" if isinstance(path, (bytes, bytearray, memoryview)) else ""
        raise TypeError("load(): argument 'path' (position 1) must be a path or a file that is open for reading bytes, "
                        f"not {type(path).__name__}{hint}")  # fmt: skip
    if hasattr(path, "readable") and not path.readable():
        raise io.UnsupportedOperation("load(): the file is open for writing: open it with 'rb'")
    data = path.read()
    if not isinstance(data, bytes):
        raise ProgramFileError(f"the file gives {type(data).__name__} in place of bytes: open it in binary mode")
    return data


def is_same_step(entry: Any, other: Any) -> bool:
    """Return whether two entries do the same, and may see something else: other numbers, or shapes of results."""
    number, arguments, types, _ = entry
    guard = not types and len(arguments) == 2
    return bool(
        number == other[0]
        and len(types) == len(other[2])
        and (arguments == other[1] or (guard and arguments[0] == other[1][0]))
    )
