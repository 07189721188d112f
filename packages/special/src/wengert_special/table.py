"""The op table of the special functions, and how its rows reach SciPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from wengert_core.extend import COMPLEX, FLOATING, Op, OpTable, plugin_with

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


# ---- rows that have SciPy's names


def of_real_orders(name: str, orders: int) -> Callable[..., Any]:
    """The reference of a function of a complex variable whose first parameters, as many as ``orders``, are real."""

    def reference(xp: Any, *arrays: Any) -> Any:
        if arrays[-1].dtype.kind == "c":
            arrays = (*(array.real for array in arrays[:orders]), *arrays[orders:])
        return getattr(scipy_special(xp), name)(*arrays)

    return reference


def of_integers(name: str, *places: int, always: bool = False) -> Callable[..., Any]:
    """The reference of a function with a loop for integers at some places, used where all numbers there are integers.

    SciPy's other loop is deprecated, or less precise.   always: there is no other loop.
    """

    def reference(xp: Any, *arrays: Any) -> Any:
        whole = {place: arrays[place].astype(xp.int64) for place in places}
        if always or all(bool(xp.all(whole[place] == arrays[place])) for place in places):
            arrays = tuple(whole.get(place, array.astype(xp.float64)) for place, array in enumerate(arrays))
        return getattr(scipy_special(xp), name)(*arrays)

    return reference


def scipy_row(
    name: str,
    parameters: str,
    words: str,
    *,
    complex_orders: int | None = None,
    reference: Callable[..., Any] | None = None,
    hidden: bool = False,
) -> Op:
    """A row of the name and the parameters of a ufunc of SciPy, "a b x"; numbers may stand for any but the only one.

    complex_orders: for a function that also takes complex numbers, how many of its first parameters stay real.
    reference: where it is not SciPy's function alone.   hidden: an internal op, called ``_name``.
    """
    names = parameters.split()
    schema = ", ".join(f"Any {one}" for one in names) if len(names) > 1 else "Tensor self"
    if reference is None:
        reference = from_scipy(name) if complex_orders is None else of_real_orders(name, complex_orders)
    op_name = f"_{name}" if hidden else f"{SPECIAL}{name}"
    row = TABLE.pointwise(
        len(names), f"{op_name}({schema}) -> Tensor", reference=reference, promotion="float", inplace=False,
        dtypes=WIDE if complex_orders is None else WIDE + COMPLEX, texts={"label": f"{name}_cpu"}, doc=words,
        method=False,
    )
    if hidden:
        TABLE.hidden.add(op_name)
    return row


FAMILIES = (
    "gamma", "bessel", "normal", "polynomials", "elementary", "factorials", "zeta", "incomplete", "distributions",
    "integrals", "elliptic", "cylinder", "hypergeometric", "jacobi",
)
"""The modules that fill the table; ``derivatives`` has one of the same name for each."""


def load() -> OpTable:
    """What the entry point names: the table with all its rows."""
    for family in FAMILIES:
        importlib.import_module(f"wengert_special.{family}")
    return TABLE
