"""Options of ``save`` and ``load`` that programs set for all calls: byte order, checksums, mapping, skipped data."""

from __future__ import annotations

from enum import Enum
from threading import local

from wengert_serialization import config
from wengert_serialization.config import MAP_PRIVATE, MAP_SHARED

__all__ = [
    "LoadEndianness", "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options", "is_skipping",
    "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data",
]  # fmt: skip


class LoadEndianness(Enum):
    """The byte order of a file that does not say its own."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness() -> LoadEndianness | None:
    """Return the byte order of files that do not say theirs; None stands for little."""
    return config.load.endianness  # type: ignore[return-value]  # set by the next function alone


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order of files that do not say theirs: files of PyTorch 2.0 and older.

    >>> import wengert as wg
    >>> wg.serialization.set_default_load_endianness(wg.serialization.LoadEndianness.BIG)
    >>> wg.serialization.get_default_load_endianness().name
    'BIG'
    >>> wg.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness: expected a LoadEndianness or "
                        f"None, got {type(endianness).__name__}")
    config.load.endianness = endianness


def get_crc32_options() -> bool:
    """Return whether ``save`` computes a checksum of each record."""
    return config.save.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether ``save`` computes a checksum of each record; ``load`` needs none, programs that unzip do."""
    config.save.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int:
    """Return how ``load(mmap=True)`` maps files: mmap.MAP_PRIVATE or mmap.MAP_SHARED."""
    return config.load.mmap_flags


class set_default_mmap_options:
    """Set how ``load(mmap=True)`` maps files, for good or as a context.

    flags: mmap.MAP_PRIVATE: writes to tensors stay in memory. mmap.MAP_SHARED: they change the file.

    >>> import mmap
    >>> import wengert as wg
    >>> with wg.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     wg.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags: int) -> None:
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                             f"mmap.MAP_SHARED, but got {flags}")
        self.before: int = config.load.mmap_flags
        config.load.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info: object) -> None:
        config.load.mmap_flags = self.before


class Skipping(local):
    """Whether this thread is in a context ``skip_data``."""

    active: bool = False


SKIPPING = Skipping()


def is_skipping() -> bool:
    """Return whether the bytes of storages are left out."""
    return SKIPPING.active


class skip_data:
    """A context in which ``save`` writes zeros for the bytes of storages, and ``load`` reads none of them.

    materialize_fake_tensors: without effect, as there are no fake tensors.

    >>> import io
    >>> import wengert as wg
    >>> buffer = io.BytesIO()
    >>> with wg.serialization.skip_data():
    ...     wg.save(wg.ones(2), buffer)
    >>> wg.load(io.BytesIO(buffer.getvalue()))
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self.before: bool = SKIPPING.active
        SKIPPING.active = True

    def __exit__(self, *exc_info: object) -> None:
        SKIPPING.active = self.before
