"""Integrals of elementary functions: error functions, exponential, trigonometric and Fresnel integrals, Spence's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import COMPLEX, Tensor

from wengert_special.table import TABLE, of_integers, scipy_row, scipy_special

scipy_row("erfcinv", "y", "The inverse of erfc.")
scipy_row("erfi", "z", "The imaginary error function -1j * erf(1j * self).", complex_orders=0)
scipy_row("dawsn", "x", "Dawson's integral: sqrt(pi) / 2 * exp(-self ** 2) * erfi(self).", complex_orders=0)
scipy_row("expi", "x", "The exponential integral Ei.", complex_orders=0)
scipy_row("exp1", "z", "The exponential integral E1.", complex_orders=0)
scipy_row("expn", "n x", "The exponential integral of order n.", reference=of_integers("expn", 0))
scipy_row("spence", "z", "Spence's function, the dilogarithm of 1 - self.", complex_orders=0)
TABLE.pointwise(
    1, "special_wofz(Tensor self) -> Tensor", reference=lambda xp, z: scipy_special(xp).wofz(z), dtypes=COMPLEX,
    inplace=False, texts={"label": "wofz_cpu"}, doc="The Faddeeva function exp(-self ** 2) * erfc(-1j * self).",
)


def one_of(function: str, place: int) -> Callable[..., Any]:
    """The reference for one of the results of a function with several."""
    return lambda xp, x: getattr(scipy_special(xp), function)(x)[place]


PAIRS = {
    "fresnel": ("_fresnel_s", "_fresnel_c", "The Fresnel integrals S and C, of sin and cos of pi t ** 2 / 2."),
    "sici": ("_si", "_ci", "The integrals of sin(t) / t from 0, and of cos(t) / t."),
    "shichi": ("_shi", "_chi", "The integrals of sinh(t) / t from 0, and of cosh(t) / t."),
}
"""Functions with two results: the op of each."""


def add_pair(name: str, first: str, second: str, words: str) -> None:
    """Put a function with two results into the table, of which each is an op."""
    ops = [scipy_row(op[1:], "x", f"Result {place + 1} of {name}.", hidden=True, complex_orders=0,
                     reference=one_of(name, place)) for place, op in enumerate((first, second))]

    def pair(input: Tensor) -> tuple[Tensor, ...]:
        return tuple(op(input) for op in ops)

    TABLE.composite(pair, name=name, namespace="special", doc=words)


for name, row in PAIRS.items():
    add_pair(name, *row)
