"""Bessel functions of any real order, Hankel's, Airy's and Struve's, also scaled by exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert_core as wc
from wengert_core.extend import COMPLEX, Tensor

from wengert_special.integrals import one_of
from wengert_special.table import TABLE, of_integers, of_real_orders, scipy_row, scipy_special

BESSEL = "Bessel function of the {} kind of order v."
for name, words, scaled in (
    ("jv", BESSEL.format("first"), "exp(-abs(z.imag))"),
    ("yv", BESSEL.format("second"), "exp(-abs(z.imag))"),
    ("iv", f"modified {BESSEL.format('first')}", "exp(-abs(z.real))"),
    ("kv", f"modified {BESSEL.format('second')}", "exp(z)"),
):
    scipy_row(name, "v z", f"The {words}", complex_orders=1)
    if name == "kv":
        scipy_row("kve", "v z", f"{scaled} times the {words}", complex_orders=1)


def scaled_reference(name: str) -> Callable[..., Any]:
    """The reference of a scaled function, which is 0 at infinity."""
    def reference(xp: Any, v: Any, z: Any) -> Any:
        return xp.where(xp.isinf(z), 0, getattr(scipy_special(xp), name)(v, z)).astype(z.dtype)

    return reference


# of complex numbers these are not analytic
scipy_row("jve", "v z", f"The {BESSEL.format('first')} SciPy's scale is 1 for real numbers.")
scipy_row("yve", "v z", f"The {BESSEL.format('second')} SciPy's scale is 1 for real numbers.")
scipy_row("ive", "v z", f"exp(-abs(z)) times the modified {BESSEL.format('first')}", reference=scaled_reference("ive"))
scipy_row("yn", "n x", "The Bessel function of the second kind of the integer order n.",
          reference=of_integers("yn", 0))
scipy_row("kn", "n x", "The modified Bessel function of the second kind of the integer order n.",
          reference=of_integers("kn", 0))
scipy_row("struve", "v x", "Struve's function of order v.")
scipy_row("modstruve", "v x", "The modified Struve function of order v.")


# ---- Hankel functions: complex numbers of real ones too
def add_hankel(name: str, words: str) -> None:
    """Put a Hankel function into the table: an op of complex numbers, and a function that also takes real ones."""
    op = TABLE.pointwise(
        2, f"_{name}(Any v, Any z) -> Tensor", reference=of_real_orders(name, 1), dtypes=COMPLEX, inplace=False,
        method=False, texts={"label": f"{name}_cpu"}, doc=words,
    )
    TABLE.hidden.add(f"_{name}")

    def hankel(v: Any, z: Any) -> Tensor:
        result: Tensor = op(v, to_complex(z, v))
        return result

    TABLE.composite(hankel, name=name, namespace="special", doc=words)


def to_complex(z: Any, v: Any) -> Tensor:
    """z as a tensor of complex numbers."""
    wide = wc.float64 in {one.dtype for one in (z, v) if isinstance(one, Tensor)}
    kind = wc.complex128 if wide else wc.complex64
    if not isinstance(z, Tensor):
        return wc.tensor(z, dtype=kind)
    return z if z.dtype.is_complex else z.to(kind)


for number, ordinal in ((1, "first"), (2, "second")):
    add_hankel(f"hankel{number}", f"The Hankel function of the {ordinal} kind of order v.")
    sign = "-" if number == 1 else ""
    add_hankel(f"hankel{number}e", f"exp({sign}1j * z) times the Hankel function of the {ordinal} kind of order v.")


# ---- Airy functions
def add_airy(function: str, complex_orders: int | None, words: str) -> None:
    """Put a function with four results into the table, of which each is an op."""
    ops = [scipy_row(f"{function}_{part}", "z", f"Result {place + 1} of {function}.", hidden=True,
                     complex_orders=complex_orders, reference=one_of(function, place))
           for place, part in enumerate(("a", "a_slope", "b", "b_slope"))]

    def quadruple(z: Tensor) -> tuple[Tensor, ...]:
        return tuple(op(z) for op in ops)

    TABLE.composite(quadruple, name=function, namespace="special", doc=words)


add_airy("airy", 0, "The Airy functions and their derivatives: Ai, Ai', Bi, Bi'.")
add_airy("airye", None, "The Airy functions and their derivatives scaled by exponentials: Ai, Ai', Bi, Bi'.")
