"""The table of NumPy's functions: which implementation runs for a function when a tensor is among its arguments.

Note [Implementations]
    An implementation has the name and the parameters of NumPy's function, with NumPy's defaults, and calls wengert's
    operations only, so that it is recorded, has tangents, is batched and runs on devices as they are. Arrays and
    numbers among its arguments are constants (operands.py). Values, dtypes and shapes are NumPy's; where NumPy gives
    a scalar, a tensor without dims.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""The implementation of each function of NumPy, by the function."""
ABSENT: dict[str, str] = {}
"""Functions that tensors do not have, by their names below numpy, and what to use instead."""
ROOMS: dict[str, str] = {
    "view": "manipulation axes splitting diagonals",
    "create": "creation ranges",
    "copy": "rearrangement joining padding",
    "index": "indexing assignment along_axes",
    "pointwise": "comparison numeric calculus bits",
    "reduce": "reductions statistics quantiles nan_functions histograms sorting sets",
    "linalg": "linear_algebra decompositions norms products",
    "signal": "fourier signals polynomials",
    "": "dtypes output",
}
"""The rooms below this one, and the modules of each, and of this one, that fill the table."""


def modules() -> dict[str, str]:
    """Return the modules that fill the table, each with its address."""
    return {
        name: ".".join(filter(None, ("wengert_numpy.functions", room, name)))
        for room, names in ROOMS.items() for name in names.split()
    }


def numpy_function(name: str) -> Any:
    """Return a function by its name below numpy, "linalg.svd"; None where this version of NumPy has none."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def implements(*names: str) -> Callable[[F], F]:
    """Enter the decorated function for the functions of NumPy that are called so below ``numpy``."""

    def enter(function: F) -> F:
        for name in names:
            if (key := numpy_function(name)) is not None:
                FUNCTIONS[key] = function
        return function

    return enter


LOADED: list[bool] = []
"""Not empty once the table has been filled."""


def load() -> None:
    """Fill the table."""
    LOADED.append(True)
    for address in modules().values():
        import_module(address)
