"""The op table of the special functions, and how its rows reach SciPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from wengert_core.extend import FLOATING, OpTable, plugin_with

SPECIAL = "special_"
"""What the names of ops begin with that are found in ``wengert.special``; the others are at the top."""
WIDE = tuple(kind for kind in FLOATING if kind.name in ("float32", "float64"))
"""The dtypes of functions that torch does not give for half precision."""


class SpecialTable(OpTable):
    """A table that gives its ops called ``special_NAME`` as ``special.NAME``, where torch has them."""

    def add(self, op: Any, name: str, *, method: bool = True, function: bool = True) -> Any:
        """Put an op into the table, under the name that it has in ``wengert``."""
        inner = name.startswith(SPECIAL)
        place = f"special.{name.removeprefix(SPECIAL)}" if inner else name
        return super().add(op, place, method=method and not inner, function=function)


TABLE = SpecialTable("special")


def from_scipy(name: str) -> Callable[..., Any]:
    """The reference of a row: a function of ``scipy.special``, which is imported by the first call.

    They are NumPy ufuncs with loops for float32 and float64, so dtypes stay as they are.
    """

    def reference(xp: Any, *arrays: Any) -> Any:
        return getattr(scipy_special(xp), name)(*arrays)

    return reference


def scipy_special(xp: Any) -> Any:
    """SciPy's special functions for the arrays of a namespace: scipy.special itself, or what a device's plugin has.

    Importing it takes longer than importing NumPy, so it is not done before it is used.
    """
    if xp is np:
        return importlib.import_module("scipy.special")
    plugin = plugin_with(xp)
    return OfDevice(plugin.type, plugin.special)


class OfDevice:
    """The special functions of a type of device, as far as there are any."""

    def __init__(self, kind: str, functions: Any) -> None:
        self.kind, self.functions = kind, functions

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.functions, name, None)
        if found is None:
            raise NotImplementedError(f"devices of type '{self.kind}' have no function like scipy.special.{name}: "
                                      "compute it on the CPU, with .cpu() before and .to(device) after it")
        return found


def load() -> OpTable:
    """What the entry point names: the table with all its rows."""
    for family in ("gamma", "bessel", "normal", "polynomials"):
        importlib.import_module(f"wengert_special.{family}")
    return TABLE
