"""Derivatives of elliptic integrals, in Carlson's forms, which have no cancellation where m is 0.

Sources: Byrd and Friedman 710; DLMF 19.18.1 and 19.25.
"""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import internal, special, tensors

elementwise = TABLE.elementwise


def rd(x: Any, y: Any, z: Any) -> Tensor:
    """Carlson's RD."""
    return special("elliprd", x, y, z)


def first_slope(complement: Tensor, value: Tensor) -> Tensor:
    """dK / dm = (K - RD(0, 1 - m, 1) / 3) / (2 (1 - m)). complement: 1 - m.   value: K."""
    return (value - rd(0.0, complement, 1.0) / 3) / (2 * complement)


def second_slope(m: Tensor) -> Tensor:
    """dE / dm = -RD(0, 1 - m, 1) / 6."""
    return rd(0.0, 1 - m, 1.0) / -6


elementwise("special_ellipk", lambda self, result: first_slope(1 - self, result))
elementwise("special_ellipkm1", lambda self, result: -first_slope(self, result))
elementwise("special_ellipe", lambda self: second_slope(self))


# ---- incomplete integrals: those of an angle within a quarter turn, and twice the complete one for each half turn
def quarter(phi: Any, m: Any) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The number of half turns, sine, squared cosine, 1 - m sin ** 2, and m."""
    phi, m = tensors(phi, m)
    turns = (phi / math.pi).round()
    angle = phi - turns * math.pi
    sine = angle.sin()
    return turns, sine, 1 - sine * sine, 1 - m * sine * sine, m


def root(phi: Any, m: Any) -> Any:
    """sqrt(1 - m sin(phi) ** 2)."""
    phi, m = tensors(phi, m)
    return (1 - m * phi.sin() ** 2).sqrt()


def incomplete_first(phi: Any, m: Any) -> Tensor:
    """The derivative of F by m."""
    turns, sine, cosine, delta, m = quarter(phi, m)
    inside = sine**3 * rd(cosine, 1.0, delta) / 6
    whole, below = turns != 0, wc.where(turns != 0, m, 0)
    complete = first_slope(1 - below, special("ellipk", below))
    return inside + wc.where(whole, 2 * turns * complete, 0)


def incomplete_second(phi: Any, m: Any) -> Tensor:
    """The derivative of E by m."""
    turns, sine, cosine, delta, m = quarter(phi, m)
    inside = sine**3 * rd(cosine, delta, 1.0) / -6
    whole, below = turns != 0, wc.where(turns != 0, m, 0)
    return inside + wc.where(whole, 2 * turns * second_slope(below), 0)


elementwise("special_ellipkinc", phi=lambda phi, m: 1 / root(phi, m), m=incomplete_first)
elementwise("special_ellipeinc", phi=root, m=incomplete_second)


# ---- Carlson's
def rc_slopes(x: Any, y: Any, result: Tensor) -> tuple[Tensor, Tensor]:
    """The derivatives of RC by x and y: RC(x, y) = RF(x, y, y); for a negative y its closed form."""
    x, y = tensors(x, y)
    negative = y < 0
    safe_x, safe_y = wc.where(negative, 1, x), wc.where(negative, 1, y)
    by_x, by_y = rd(safe_y, safe_y, safe_x) / -6, rd(safe_x, safe_y, safe_y) / -3
    x, y = wc.where(negative, x, 2), wc.where(negative, y, -1)
    width = 2 * (x - y)
    return (wc.where(negative, (1 / x.sqrt() - result) / width, by_x),
            wc.where(negative, (result - x.sqrt() / y) / width, by_y))


elementwise("special_elliprc", x=lambda x, y, result: rc_slopes(x, y, result)[0],
            y=lambda x, y, result: rc_slopes(x, y, result)[1])
elementwise("special_elliprf", x=lambda x, y, z: rd(y, z, x) / -6, y=lambda x, y, z: rd(z, x, y) / -6,
            z=lambda x, y, z: rd(x, y, z) / -6)


def rg_slope(x: Any, y: Any, z: Any) -> Any:
    """The derivative of RG by x: (RF - x RD(y, z, x) / 3) / 4."""
    x, y, z = tensors(x, y, z)
    return (special("elliprf", x, y, z) - x * rd(y, z, x) / 3) / 4


elementwise("special_elliprg", x=rg_slope, y=lambda x, y, z: rg_slope(y, z, x), z=lambda x, y, z: rg_slope(z, x, y))


def integral(x: Any, y: Any, z: Any, i: int, j: int, k: int) -> Tensor:
    """The integral of (t + x) ** -(i + 1/2) * (t + y) ** -(j + 1/2) * (t + z) ** -(k + 1/2)."""
    return internal("_carlson", x, y, z, i, j, k)


elementwise("special_elliprd", x=lambda x, y, z: integral(x, y, z, 1, 0, 1) * -0.75,
            y=lambda x, y, z: integral(x, y, z, 0, 1, 1) * -0.75,
            z=lambda x, y, z: integral(x, y, z, 0, 0, 2) * -2.25)
elementwise("_carlson", x=lambda x, y, z, i, j, k: integral(x, y, z, i + 1, j, k) * -(i + 0.5),
            y=lambda x, y, z, i, j, k: integral(x, y, z, i, j + 1, k) * -(j + 0.5),
            z=lambda x, y, z, i, j, k: integral(x, y, z, i, j, k + 1) * -(k + 0.5))
