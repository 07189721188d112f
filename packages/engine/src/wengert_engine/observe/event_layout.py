"""The events of a recording as NumPy reads them, and what a recording can be asked for: see event_buffer.pxd."""

from __future__ import annotations

import numpy as np

RECORD_SHAPES, RECORD_RESULTS, RECORD_STACKS, RECORD_MEMORY = 1, 2, 4, 8
"""Options of a recording, which are added: shapes of arguments, those of results, the calls that run, memory."""
EVENT_DTYPE = np.dtype([
    ("what", "u8"), ("start", "i8"), ("end", "i8"), ("sequence", "i8"), ("memory", "i8"), ("shapes", "u4"),
    ("result", "u4"), ("stack", "u4"), ("parent", "i4"), ("thread", "u2"), ("depth", "u2"), ("kind", "u1"),
    ("third", "u1"), ("reserved", "V2"),
])
"""The struct Event."""
