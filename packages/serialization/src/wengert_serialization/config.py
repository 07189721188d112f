"""Settings of ``save`` and ``load``, as attributes of ``load`` and ``save`` in this module.

>>> import wengert as wg
>>> wg.serialization.get_default_mmap_options() == 2  # MAP_PRIVATE
True
"""

from __future__ import annotations

__all__ = ["load", "save"]

MAP_SHARED, MAP_PRIVATE = 1, 2  # the numbers of the module mmap, which this module does not import


class load:
    """Settings of ``load``."""

    mmap: bool = False
    endianness: object = None
    mmap_flags: int = MAP_PRIVATE
    calculate_storage_offsets: bool = False


class save:
    """Settings of ``save``."""

    compute_crc32: bool = True
    use_pinned_memory_for_d2h: bool = False
    storage_alignment: int = 64
