"""Symbolic numbers of PyTorch's compiler: here all sizes are ints, so that these classes have no instances.

>>> import wengert as wg
>>> isinstance(wg.ones(2).shape[0], (int, wg.SymInt)), wg.sym_int(2.7), wg.sym_max(1, 2)
(True, 2, 2)
"""

from __future__ import annotations

import math
from typing import Any

__all__ = [
    "SymBool",
    "SymFloat",
    "SymInt",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
]


class Symbolic:
    """A number that is not known yet, of which there is none."""

    def __init__(self, *args: Any) -> None:
        raise TypeError(f"there are no symbolic numbers: use {type(self).number} where a {type(self).__name__} is made")

    number = "a number"


class SymInt(Symbolic):
    """An int that is not known yet; ``isinstance`` with it is always False."""

    number = "an int"


class SymFloat(Symbolic):
    """A float that is not known yet; ``isinstance`` with it is always False."""

    number = "a float"


class SymBool(Symbolic):
    """A bool that is not known yet; ``isinstance`` with it is always False."""

    number = "a bool"


def sym_int(a: Any) -> int:
    """Return a number as an int, rounded toward zero."""
    number: int = math.trunc(a)
    return number


def sym_float(a: Any) -> float:
    """Return a number as a float."""
    return float(a)


def sym_not(a: Any) -> bool:
    """Return whether a bool is False."""
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """Return the larger of two numbers; a float where one of them is a float."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers; a float where one of them is a float."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """Return `t` where `b` is true, else `f`."""
    return t if b else f
