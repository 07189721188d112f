"""Derivatives of Bessel, Hankel, Struve and Airy functions: combinations of neighboring orders."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import internal, missing, special, tensors

elementwise = TABLE.elementwise


def neighbors(op: str, v: Any, z: Any, below: int, above: int) -> Tensor:
    """Half of the order below times one sign plus the order above times the other."""
    call = special if not op.startswith("_") else internal
    return (below * call(op, v - 1, z) + above * call(op, v + 1, z)) / 2


def add_real(op: str, below: int, above: int) -> None:
    """The formula of a function of a real order that has no other term."""
    elementwise(op if op.startswith("_") else f"special_{op}", v=missing(f"{op.strip('_')}: v"),
                z=lambda v, z: neighbors(op, v, z, below, above))


def add_integer(op: str, below: int, above: int) -> None:
    """The formula of a function of an integer order that has no other term."""
    elementwise(f"special_{op}", n=missing(f"{op}: n"), x=lambda n, x: neighbors(op, n, x, below, above))


for name in ("jv", "yv", "jve", "yve", "_hankel1", "_hankel2"):
    add_real(name, 1, -1)
add_real("iv", 1, 1)
add_real("kv", -1, -1)
add_integer("yn", 1, -1)
add_integer("kn", -1, -1)
elementwise("special_kve", v=missing("kve: v"),
            z=lambda v, z, result: neighbors("kve", v, z, -1, -1) + result)
elementwise("special_ive", v=missing("ive: v"),
            z=lambda v, z, result: neighbors("ive", v, z, 1, 1) - z.sgn() * result)
elementwise("_hankel1e", v=missing("hankel1e: v"),
            z=lambda v, z, result: neighbors("_hankel1e", v, z, 1, -1) - 1j * result)
elementwise("_hankel2e", v=missing("hankel2e: v"),
            z=lambda v, z, result: neighbors("_hankel2e", v, z, 1, -1) + 1j * result)


# ---- Struve functions (DLMF 11.4.27 to 11.4.30)
def struve_slope(op: str, sign: int, v: Any, x: Any) -> Any:
    """The neighboring orders, and (x / 2) ** v / (2 sqrt(pi) gamma(v + 3/2))."""
    v, x = tensors(v, x)
    term = (x / 2) ** v * special("rgamma", v + 1.5) / (2 * math.sqrt(math.pi))
    return neighbors(op, v, x, 1, sign) + term


elementwise("special_struve", v=missing("struve: v"), x=lambda v, x: struve_slope("struve", -1, v, x))
elementwise("special_modstruve", v=missing("modstruve: v"), x=lambda v, x: struve_slope("modstruve", 1, v, x))


# ---- Airy functions: f'' = z f
def add_airy(letter: str) -> None:
    """The formulas of an Airy function and its derivative."""
    value, slope = f"_airy_{letter}", f"_airy_{letter}_slope"
    elementwise(value, lambda self: internal(slope, self))
    elementwise(slope, lambda self: self * internal(value, self))


def add_scaled_airy(letter: str, sign: int) -> None:
    """The same scaled by exp(sign * 2/3 * z ** 1.5), which is 1 for Bi below 0."""
    value, slope = f"_airye_{letter}", f"_airye_{letter}_slope"
    elementwise(value, lambda self, result: internal(slope, self) + sign * root(self) * result)
    elementwise(slope, lambda self, result: self * internal(value, self) + sign * root(self) * result)


def root(z: Tensor) -> Tensor:
    """The square root, 0 below 0."""
    positive = z > 0
    return wc.where(positive, wc.where(positive, z, 1).sqrt(), 0)


for letter, sign in (("a", 1), ("b", -1)):
    add_airy(letter)
    add_scaled_airy(letter, sign)
