"""Loading what an operation needs the first time, before the clock of a profile starts.

Note [No operation pays for loading]
    Families of operations, formulas and half of the engine are loaded when they are first needed (decision 8). In a
    profile that time, milliseconds, would be the time of whichever operation came first: 40 ms of `aten::t`. So the
    first profile of a process loads all of them when its block is entered; it is done once and costs about as much as
    `import wengert`. Optional parts, such as special functions, which need SciPy, are loaded by who uses them.
"""

from __future__ import annotations

import functools
from importlib import import_module

import wengert_engine
from wengert_core import TABLE
from wengert_registry import registry


@functools.cache
def load_all() -> None:
    """Load every family of core's operations and methods, their formulas, and backward; the second time do nothing."""
    for names in (TABLE.ops, TABLE.methods):
        len(names)  # whoever goes through the table has all families loaded
    registry.group("formulas").find("core")
    import_module("numpy.fft")  # NumPy loads it late as well
    for name in ("backward", "Function"):
        getattr(wengert_engine, name)
