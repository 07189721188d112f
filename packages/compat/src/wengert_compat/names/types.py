"""wengert.types: names for annotations.

>>> import wengert as wg
>>> isinstance(2.5, wg.types.Number)
True
"""

from __future__ import annotations

import os
from typing import IO, TypeAlias

from wengert_core import device

__all__ = ["Device", "FileLike", "Number"]

Number: TypeAlias = int | float | bool
"""A number of Python that stands for one of a tensor."""
Device: TypeAlias = device | str | int | None
"""What an argument ``device`` may be."""
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""What ``save`` and ``load`` take."""
