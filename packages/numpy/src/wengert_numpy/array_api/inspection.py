"""What the namespace tells about itself: its version, dtypes, devices and abilities."""

from __future__ import annotations

from typing import Any

import wengert as wg

from wengert_numpy.array_api.data_types import NAMES
from wengert_numpy.array_api.promotion import KINDS

VERSION = "2025.12"
"""The version of the standard."""
MAX_DIMS = 64
"""The most dims that a tensor has."""


class Info:
    """The functions of inspection."""

    def capabilities(self) -> dict[str, Any]:
        """Return whether boolean indexing and shapes that depend on values exist, and how many dims an array has."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_DIMS}

    def default_device(self) -> Any:
        """Return the device of new arrays."""
        return wg.get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """Return the dtypes of new arrays, by their kind."""
        default = wg.get_default_dtype()
        return {
            "real floating": default,
            "complex floating": default.to_complex(),
            "integral": wg.int64,
            "indexing": wg.int64,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Any]:
        """Return the dtypes of a kind, or of several kinds (None: all), by their names."""
        if kind is None:
            kind = tuple(KINDS)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"dtypes(): kind is {one!r}, expected one of {', '.join(map(repr, KINDS))}")
        chosen = {dtype for one in kinds for dtype in KINDS[one]}
        return {name: getattr(wg, name) for name in NAMES if getattr(wg, name) in chosen}

    def devices(self) -> tuple[Any, ...]:
        """Return the devices that are there."""
        count = wg.cuda.device_count() if wg.cuda.is_available() else 0
        return (wg.device("cpu"), *(wg.device("cuda", i) for i in range(count)))


def namespace_info() -> Info:
    """Return the functions of inspection."""
    return Info()
