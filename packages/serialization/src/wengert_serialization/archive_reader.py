"""Read the zip archive that PyTorch's ``save`` writes. Nothing in it is trusted.

Records must be stored, not compressed, and all of them together must not be longer than the file: so what is read into
memory is never more than the file.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, NamedTuple

from wengert_serialization.archive_writer import CENTRAL, END, END64, LIMIT16, LIMIT32, LOCAL, LOCATOR64

__all__ = ["ArchiveReader", "is_archive"]

LONGEST_COMMENT = 0xFFFF
NEWEST_VERSION = 10
"""The last version of the format that PyTorch 2.13 reads."""
CHUNK = 1 << 24
HINT = "The file is corrupted: it was not saved completely, not transferred as it was, or modified after saving"


class Record(NamedTuple):
    """The offset of a record's header, and the length of its data."""

    header: int
    size: int


def is_archive(file: Any) -> bool:
    """Return whether a zip archive begins at the position of a file."""
    start = file.tell()
    magic = file.read(4)
    file.seek(start)
    return bool(magic == b"PK\3\4")


class ArchiveReader:
    """The records of an archive that begins at the position of a file. RuntimeError where it is no such archive."""

    def __init__(self, file: Any) -> None:
        self.file, self.start = file, file.tell()
        self.length = file.seek(0, 2) - self.start if hasattr(file, "seek") else 0
        self.records: dict[str, Record] = {}
        try:
            self._read_directory()
        except error as problem:
            raise failure("reading zip archive", f"a header is cut off: {problem}") from None
        self._check_version()

    # ---- the directory
    def _read_directory(self) -> None:
        size, begin = self._find_directory()
        directory = self._bytes_at(begin, size)
        position, total, folder = 0, 0, None
        while position < size:
            name, record, position = read_entry(directory, position)
            total += record.size
            if record.header + LOCAL.size + record.size > begin or total > begin:
                raise failure("reading zip archive", f"record {name!r} does not lie in the file")
            own_folder, slash, rest = name.partition("/")
            if not slash or own_folder != (folder := folder if folder is not None else own_folder):
                raise failure("reading zip archive", f"file in archive is not in a subdirectory: {name}")
            if rest in self.records:
                raise failure("reading zip archive", f"two records are called {name!r}")
            self.records[rest] = record

    def _find_directory(self) -> tuple[int, int]:
        """Return size and position of the directory, which the end of the archive says."""
        tail_size = min(self.length, END.size + LONGEST_COMMENT)
        tail_start = self.length - tail_size
        tail = self._bytes_at(tail_start, tail_size)
        found = tail.rfind(b"PK\5\6", 0, max(tail_size - END.size + 4, 0))
        if found < 0:
            raise failure("reading zip archive", "failed finding central directory")
        *_, count, size, begin, _ = END.unpack_from(tail, found)
        end = tail_start + found
        if (count == LIMIT16 or LIMIT32 in (size, begin)) and end >= LOCATOR64.size:
            magic, _, position, _ = LOCATOR64.unpack(self._bytes_at(end - LOCATOR64.size, LOCATOR64.size))
            if magic == b"PK\6\7":
                *_, size, begin = END64.unpack(self._bytes_at(position, END64.size))
        if begin + size > end:
            raise failure("reading zip archive", "the central directory does not lie in the file")
        return size, begin

    def _check_version(self) -> None:
        if "version" not in self.records and ".data/version" not in self.records:
            raise RuntimeError('Expected hasRecord("version") to be true, but got false: the archive has no record '
                               "'version', so it was not written by save()")
        text = self.read("version" if "version" in self.records else ".data/version", limit=64)
        try:
            version = int(text)
        except ValueError:
            raise RuntimeError(f"Couldn't parse the version {text!r} as Long Long.") from None
        if version > NEWEST_VERSION:
            raise RuntimeError(
                f"Attempted to read a PyTorch file with version {version}, but the maximum supported version for "
                f"reading is {NEWEST_VERSION}. The version of wengert may be too old for this file."
            )

    # ---- records
    def read(self, name: str, limit: int | None = None) -> bytes:
        """Return the data of a record. RuntimeError for one that is absent, or longer than ``limit``."""
        size = self.size(name)
        if limit is not None and size > limit:
            raise failure(f"reading file {name}", f"it has {size} bytes, expected at most {limit}")
        return self._bytes_at(self.offset(name), size)

    def read_into(self, name: str, memory: memoryview) -> None:
        """Copy the data of a record into memory of the same size, without a buffer between."""
        self.file.seek(self.start + self.offset(name))
        fill(self.file, memory)

    def size(self, name: str) -> int:
        """Return the number of bytes of a record. RuntimeError for one that is absent."""
        if name not in self.records:
            raise failure(f"locating file {name}", "file not found")
        return self.records[name].size

    def offset(self, name: str) -> int:
        """Return where in the archive the data of a record begin."""
        header, size = self.records[name]
        fields = LOCAL.unpack(self._bytes_at(header, LOCAL.size))
        begin = header + LOCAL.size + fields[-2] + fields[-1]
        if fields[0] != b"PK\3\4" or begin + size > self.length:
            raise failure(f"reading file {name}", "its header is not where the directory says")
        return int(begin)

    def _bytes_at(self, position: int, size: int) -> bytes:
        if not 0 <= position <= self.length - size:
            raise failure("reading zip archive", f"{size} bytes at {position} do not lie in the file")
        self.file.seek(self.start + position)
        data = self.file.read(size)
        if len(data) != size:
            raise failure("reading zip archive", "the file ends too early")
        return bytes(data)


WIDE = Struct("<Q")


def read_entry(directory: bytes, position: int) -> tuple[str, Record, int]:
    """Return a record's name, the record, and the position of the next entry of the directory."""
    fields = CENTRAL.unpack_from(directory, position)
    magic, flags, method, packed, size = fields[0], fields[3], fields[4], fields[8], fields[9]
    name_length, extra_length, comment_length, header = fields[10], fields[11], fields[12], fields[16]
    names = position + CENTRAL.size
    extras, following = names + name_length, names + name_length + extra_length
    if magic != b"PK\1\2" or following + comment_length > len(directory):
        raise failure("reading zip archive", "an entry of the central directory is damaged")
    name = directory[names:extras].decode("utf-8", "replace")
    numbers = wide_numbers(directory[extras:following])
    size = next(numbers, size) if size == LIMIT32 else size
    packed = next(numbers, packed) if packed == LIMIT32 else packed
    header = next(numbers, header) if header == LIMIT32 else header
    if method or packed != size or flags & 1:
        raise RuntimeError(f"PytorchStreamReader failed reading file {name.partition('/')[2]}: it is compressed or "
                           "encrypted, expected records that are stored as they are. Save the object again")
    return name, Record(header, size), following + comment_length


def wide_numbers(extra: bytes) -> Any:
    """Return an iterator over the numbers of 64 bits in an entry's zip64 field."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = Struct("<2H").unpack_from(extra, position)
        field = extra[position + 4 : position + 4 + length]
        if kind == 1:
            return (number for (number,) in WIDE.iter_unpack(field[: len(field) // 8 * 8]))
        position += 4 + length
    return iter(())


def fill(file: Any, memory: memoryview) -> None:
    """Read as many bytes as memory has room for. RuntimeError where the file ends before."""
    readinto, done = getattr(file, "readinto", None), 0
    while done < memory.nbytes:
        if readinto is not None:
            count = readinto(memory[done:])
        else:
            data = file.read(min(memory.nbytes - done, CHUNK))
            count = len(data)
            memory[done : done + count] = data
        if not count:
            raise failure("reading data", f"the file ends after {done} of {memory.nbytes} bytes")
        done += count


def failure(task: str, problem: str) -> RuntimeError:
    """Return the error about an archive."""
    return RuntimeError(f"PytorchStreamReader failed {task}: {problem}. {HINT}.")
