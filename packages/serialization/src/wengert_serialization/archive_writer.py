"""Write the zip archive that PyTorch's ``save`` writes: records one after another, stored, aligned, never sought.

Note [Layout of an archive]
    Each record is a local header, its name, an extra field ``FB`` that pads the data to the alignment, the data, and a
    descriptor with checksum and sizes, which an empty record lacks. So a stream that only writes is enough. Headers
    have a zip64 field as soon as a size or an offset does not fit into 32 bits; the end of the directory always does.
    PyTorch computes offsets of records from these rules without reading headers.
"""

from __future__ import annotations

import sys
from struct import Struct
from typing import Any, NamedTuple
from zlib import crc32

__all__ = ["ArchiveWriter"]

LOCAL = Struct("<4s5H3I2H")
CENTRAL = Struct("<4s6H3I5H2I")
END64, LOCATOR64, END = Struct("<4sQ2H2I4Q"), Struct("<4sIQI"), Struct("<4s4H2IH")
LIMIT32, LIMIT16 = 0xFFFFFFFF, 0xFFFF
NAMES_ARE_UTF8, HAS_DESCRIPTOR = 1 << 11, 1 << 3
CHUNK = 1 << 26
VERSION = b"3\n"
"""The version of the format that a reader must know."""


class Entry(NamedTuple):
    """A record in the directory."""

    name: bytes
    flags: int
    checksum: int
    size: int
    offset: int


class ArchiveWriter:
    """An archive that is being written.

    stream: anything with ``write``.   folder: the one folder in the archive, in which the records lie.
    """

    def __init__(self, stream: Any, folder: str, alignment: int = 64, checksums: bool = True) -> None:
        self.stream, self.folder, self.alignment, self.checksums = stream, folder, alignment, checksums
        self.position = 0
        self.entries: list[Entry] = []

    def write(self, name: str, data: Any) -> None:
        """Write a record: bytes, or any other buffer of bytes."""
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        offset, checksum = self._begin(name, view.nbytes), 0
        for start in range(0, view.nbytes, CHUNK):
            part = view[start : start + CHUNK]
            checksum = crc32(part, checksum) if self.checksums else 0
            self._put(part)
        self._end(name, view.nbytes, offset, checksum)

    def write_zeros(self, name: str, size: int) -> None:
        """Write a record of zero bytes, to be filled in later."""
        offset, checksum, zeros = self._begin(name, size), 0, bytes(min(size, CHUNK))
        for start in range(0, size, CHUNK):
            part = memoryview(zeros)[: size - start]
            checksum = crc32(part, checksum) if self.checksums else 0
            self._put(part)
        self._end(name, size, offset, checksum)

    def _begin(self, name: str, size: int) -> int:
        """Write what stands before the data of a record; return where it begins."""
        offset, encoded = self.position, f"{self.folder}/{name}".encode()
        wide = wide_field(size, offset)
        start = offset + LOCAL.size + len(encoded) + len(wide) + 4
        padding = -start % self.alignment
        flags = NAMES_ARE_UTF8 | (HAS_DESCRIPTOR if size else 0)
        extra = len(wide) + 4 + padding
        self._put(LOCAL.pack(b"PK\3\4", 0, flags, 0, 0, 0, 0, 0, 0, len(encoded), extra) + encoded + wide
                  + b"FB" + padding.to_bytes(2, "little") + b"Z" * padding)
        return offset

    def _end(self, name: str, size: int, offset: int, checksum: int) -> None:
        """Write what stands behind the data of a record, and remember it for the directory."""
        flags = NAMES_ARE_UTF8 | (HAS_DESCRIPTOR if size else 0)
        if size:
            form = "<4sI2Q" if max(size, offset) >= LIMIT32 else "<4s3I"
            self._put(Struct(form).pack(b"PK\7\x08", checksum, size, size))
        self.entries.append(Entry(f"{self.folder}/{name}".encode(), flags, checksum, size, offset))

    def close(self) -> None:
        """Write the last records and the directory. The stream stays open."""
        self.write("version", VERSION)
        if not any(entry.name.endswith(b"/byteorder") for entry in self.entries):
            self.write("byteorder", sys.byteorder.encode())
        self.write(".data/serialization_id", self._identity())
        start = self.position
        self._put(b"".join([directory_entry(entry) for entry in self.entries]))
        end, count = self.position, len(self.entries)
        size = end - start
        self._put(
            END64.pack(b"PK\6\6", END64.size - 12, 0x031E, 45, 0, 0, count, count, size, start)
            + LOCATOR64.pack(b"PK\6\7", 0, end, 1)
            + END.pack(b"PK\5\6", 0, 0, *[min(count, LIMIT16)] * 2, min(size, LIMIT32), min(start, LIMIT32), 0)
        )

    def _identity(self) -> bytes:
        """Return 40 digits that stand for the names and the checksums of the records."""
        names = contents = 0
        for entry in self.entries:
            names = (names * 1_000_003 + crc32(entry.name)) % 2**64
            contents = (contents * 1_000_003 + entry.checksum) % 2**64
        return f"{names:020}{contents:020}".encode()

    def _put(self, data: Any) -> None:
        """Write all bytes, also to a stream that takes a part of them at a time."""
        self.position += len(data)
        while len(data):
            written = self.stream.write(data)
            if type(written) is not int or written >= len(data):
                return
            data = data[written:]


def wide_field(size: int, offset: int) -> bytes:
    """Return the zip64 field of a header: the numbers that do not fit into 32 bits."""
    numbers = ([size, size] if size >= LIMIT32 else []) + ([offset] if offset >= LIMIT32 else [])
    return Struct(f"<2H{len(numbers)}Q").pack(1, 8 * len(numbers), *numbers) if numbers else b""


def directory_entry(entry: Entry) -> bytes:
    """Return a record's entry in the directory."""
    wide = wide_field(entry.size, entry.offset)
    size, offset = min(entry.size, LIMIT32), min(entry.offset, LIMIT32)
    sizes = (entry.checksum, size, size, len(entry.name), len(wide))
    return CENTRAL.pack(b"PK\1\2", 0, 0, entry.flags, 0, 0, 0, *sizes, 0, 0, 0, 0, offset) + entry.name + wide
