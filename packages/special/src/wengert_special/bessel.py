"""Bessel and Airy functions.

The derivative of a Bessel function is a combination of its neighboring orders: ``_bessel`` has them all, so that
derivatives of every order exist, at 0 as well.
"""

from __future__ import annotations

import math
from typing import Any

from wengert_core.extend import FLOATING, Op

from wengert_special.blocks import by_blocks
from wengert_special.table import TABLE, WIDE, from_scipy, scipy_special


def row(name: str, reference: Any, words: str, half: bool = False, **settings: Any) -> Op:
    """A function of one variable. half: also for float16 and bfloat16."""
    short = name.removeprefix("special_")
    label = {"label": f"{short}_vml_cpu" if name == "i0" else f"{short}_cpu"}
    return TABLE.pointwise_unary(
        f"{name}(Tensor self) -> Tensor", reference=reference, promotion="float", dtypes=FLOATING if half else WIDE,
        texts=label, doc=words, **{"inplace": False, **settings},
    )


def spherical(xp: Any, x: Any, order: int = 0) -> Any:
    """The spherical Bessel function of the first kind; SciPy's is for one precision only, and of order 0 slow."""
    if order == 0:
        return by_blocks(lambda each: sine_quotient(xp, each), x)
    return scipy_special(xp).spherical_jn(order, x.astype(xp.float64)).astype(x.dtype)


def sine_quotient(xp: Any, x: Any) -> Any:
    """sin(x) / x, 1 at 0, 0 at infinity."""
    values = xp.sin(x) / x
    if bool(xp.all(xp.isfinite(values))):
        return values
    return xp.where(xp.isfinite(x) & (x != 0), values, xp.where(x == 0, 1.0, xp.where(xp.isinf(x), 0.0, x)))


KIND = "modified Bessel function of the first kind of order"
row("i0", from_scipy("i0"), f"The {KIND} 0.", half=True, inplace=True)
row("special_i0e", from_scipy("i0e"), f"exp(-|self|) times the {KIND} 0.", half=True)
row("special_i1", from_scipy("i1"), f"The {KIND} 1.", half=True)
row("special_i1e", from_scipy("i1e"), f"exp(-|self|) times the {KIND} 1.", half=True)
for order in (0, 1):
    for letter, which in (("j", "first"), ("y", "second")):
        row(f"special_bessel_{letter}{order}", from_scipy(f"{letter}{order}"),
            f"The Bessel function of the {which} kind of order {order}.")
    row(f"special_modified_bessel_i{order}", from_scipy(f"i{order}"), f"The {KIND} {order}.")
    row(f"special_modified_bessel_k{order}", from_scipy(f"k{order}"),
        f"The modified Bessel function of the second kind of order {order}.")
    row(f"special_scaled_modified_bessel_k{order}", from_scipy(f"k{order}e"),
        f"exp(self) times the modified Bessel function of the second kind of order {order}.")
row("special_airy_ai", lambda xp, x: scipy_special(xp).airy(x)[0], "The Airy function Ai.")
row("special_spherical_bessel_j0", spherical, "The spherical Bessel function of the first kind of order 0.")
TABLE.alias("special.i0", TABLE.ops["i0"], method=False)

# ---- what formulas call
ORDERS = {
    "j": ("j0", "j1", "jv"), "y": ("y0", "y1", "yv"), "i": ("i0", "i1", "iv"), "k": ("k0", "k1", "kv"),
    "ie": ("i0e", "i1e", "ive"), "ke": ("k0e", "k1e", "kve"),
}
"""SciPy's functions of order 0, of order 1, and of any order."""


def of_order(xp: Any, x: Any, kind: str, order: int) -> Any:
    """A Bessel function of any order."""
    if kind == "spherical":
        return spherical(xp, x, order)
    if order < 2:
        return getattr(scipy_special(xp), ORDERS[kind][order])(x)
    if order == 2:
        return by_blocks(lambda each: second_order(xp, each, kind), x)
    value = getattr(scipy_special(xp), ORDERS[kind][2])(order, x)
    return xp.where(xp.isinf(x), 0, value).astype(x.dtype) if kind == "ie" else value


SERIES = tuple(1 / (math.factorial(k) * math.factorial(k + 2)) for k in reversed(range(13)))
"""Of the powers of (x / 2)**2, in I2 of x up to 2."""


def second_order(xp: Any, x: Any, kind: str) -> Any:
    """A Bessel function of order 2, by those of the orders below; by its series where these cancel."""
    zeroth, first = (of_order(xp, x, kind, order) for order in (0, 1))
    small = xp.abs(x) < 2
    step = 2 * first / xp.where(x == 0, 1.0, x)
    if kind in ("k", "ke"):
        return xp.where(x == 0, zeroth, zeroth + step)
    if kind == "y":
        return xp.where(x == 0, zeroth, step - zeroth)
    large = xp.where(xp.isinf(zeroth), zeroth, zeroth - step if kind in ("i", "ie") else step - zeroth)
    part = xp.where(small, x / 2, 0.0) ** 2
    power = -part if kind == "j" else part
    series = SERIES[0]
    for number in SERIES[1:]:
        series = series * power + number
    series = series * part
    return xp.where(small, series * xp.exp(-xp.abs(x)) if kind == "ie" else series, large)


TABLE.array("_bessel(Tensor self, str kind, int order) -> Tensor", reference=of_order, method=False,
            doc="A Bessel function of any order; an e at the end of the kind is for scaled by an exponential.")
TABLE.array("_airy_ai_slope(Tensor self) -> Tensor", reference=lambda xp, x: scipy_special(xp).airy(x)[1], method=False,
            doc="The derivative of the Airy function Ai.")
TABLE.hidden.update(("_bessel", "_airy_ai_slope"))
