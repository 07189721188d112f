"""A board in memory that the ranks of one machine share: each rank writes where it is, and reads where the others are.

A rank writes what it begins into its page (Note [Records of collectives] in records.pyx), which takes a fraction of a
microsecond, and nobody waits. Texts (shapes, exceptions) are written only by a rank that waits long or fails.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from pathlib import Path
from typing import NamedTuple

from wengert_distributed.faults.records import FINISHED, PAGE, RING, SLOT, SLOTS, Records

RUNNING, RAISED, LEFT = 0, 1, 2

_STATE, _PID, _TEXT, _DETAIL = 0, 8, 24, 48  # offsets in a page: integers, then lengths with texts
_WORD = 8  # bytes of an integer
_TEXT_AT, _TEXT_SIZE = RING + SLOTS * SLOT, 1024
_DETAIL_AT, _DETAIL_SIZE = _TEXT_AT + _TEXT_SIZE, PAGE - _TEXT_AT - _TEXT_SIZE

_record = struct.Struct("4q")
_text_header = struct.Struct("2q")


class Record(NamedTuple):
    """A collective that a rank began."""

    signature: int
    """Its name, dtype, and reduction or root, as integers."""
    elements: int
    number: int
    """The number of its Call."""
    sequence: int
    """How many collectives the rank had begun on the group's transport, with this one; 0: none."""


class Board(Records):
    """The pages of all ranks of one machine, as one of them sees them."""

    def __init__(self, memory: mmap.mmap, index: int, count: int) -> None:
        self.memory = memory
        self.words: memoryview = memoryview(memory).cast("q")
        """The pages as integers, which are read faster so than by struct."""
        self.page = index * PAGE
        self.others = [other for other in range(count) if other != index]
        self._write(_PID, os.getpid())

    # ---- writing the own page

    def write_text(self, sequence: int, text: str) -> None:
        """Write the name and shapes of a collective, for the messages of other ranks."""
        content = text.encode(errors="replace")[:_TEXT_SIZE]
        self.memory[self.page + _TEXT_AT : self.page + _TEXT_AT + len(content)] = content
        _text_header.pack_into(self.memory, self.page + _TEXT, len(content), sequence)

    def write_state(self, state: int, detail: str = "") -> None:
        """Write that this rank raised or left; the first state stays."""
        if self.state(self.index) != RUNNING:
            return
        content = detail.encode(errors="replace")[:_DETAIL_SIZE]
        self.memory[self.page + _DETAIL_AT : self.page + _DETAIL_AT + len(content)] = content
        self._write(_DETAIL, len(content))
        self._write(_STATE, state)

    def _write(self, offset: int, value: int) -> None:
        self.words[(self.page + offset) // _WORD] = value

    # ---- reading pages

    def _read(self, index: int, offset: int) -> int:
        return self.words[(index * PAGE + offset) // _WORD]

    def record(self, index: int, sequence: int) -> Record:
        """Return what is in the slot of a sequence number: that record, an older one, or a newer one."""
        return Record(*_record.unpack_from(self.memory, index * PAGE + RING + sequence % SLOTS * SLOT))

    def last(self, index: int) -> Record:
        """Return the newest record of a rank."""
        return max((self.record(index, slot) for slot in range(SLOTS)), key=lambda record: record.sequence)

    def has_begun(self, index: int, sequence: int) -> bool:
        """Return whether a rank has begun a collective."""
        return self._read(index, RING + sequence % SLOTS * SLOT + 3 * _WORD) >= sequence

    def latest_end(self, index: int) -> int:
        """Return the sequence number of the collective that ended last on a rank."""
        return self._read(index, FINISHED)

    def state(self, index: int) -> int:
        """Return RUNNING, RAISED or LEFT."""
        return self._read(index, _STATE)

    def text(self, index: int) -> tuple[int, str]:
        """Return the sequence number and the text that a rank wrote last."""
        size, sequence = _text_header.unpack_from(self.memory, index * PAGE + _TEXT)
        at = index * PAGE + _TEXT_AT
        return sequence, self.memory[at : at + size].decode(errors="replace")

    def detail(self, index: int) -> str:
        """Return what a rank raised."""
        at = index * PAGE + _DETAIL_AT
        return self.memory[at : at + self._read(index, _DETAIL)].decode(errors="replace")

    def is_alive(self, index: int) -> bool:
        """Return whether a rank's process exists."""
        return process_exists(self._read(index, _PID))


def process_exists(pid: int) -> bool:
    """Return whether a process of this machine runs; one that has ended and that nobody has asked for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except (OSError, IndexError):
        return not Path("/proc/self").exists()  # gone meanwhile; without /proc the signal is all there is


def create_memory(count: int) -> str:
    """Create the file of a board for some ranks and return its path; ``open_memory`` maps it."""
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.NamedTemporaryFile(prefix="wengert-board-", dir=folder, delete=False) as file:
        file.truncate(count * PAGE)
    return file.name


def open_memory(path: str, count: int) -> mmap.mmap:
    """Return a board's memory. The file may be removed when all ranks have opened it."""
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), count * PAGE)
