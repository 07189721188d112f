"""Orthogonal polynomials of degree n; 0 for a negative n, and n is cut to an integer, as in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import Op, Tensor

from wengert_special.blocks import by_blocks
from wengert_special.table import TABLE, WIDE, scipy_special

MANY = 2**24
"""Steps of a recurrence that are still done for each element; above it float32 has no odd numbers."""


def cosine_form(xp: Any, n: Any, x: Any) -> Any:
    """T_n by its definition, cos(n acos x): accurate to n times a rounding error of the angle."""
    size = xp.abs(x)
    inside = xp.cos(n * xp.arccos(xp.minimum(size, 1.0)))
    outside = xp.cosh(xp.minimum(n * xp.arccosh(xp.maximum(size, 1.0)), 1000.0))  # cosh(1000) is infinite
    return xp.where(size > 1, outside, inside) * xp.where((x < 0) & (n % 2 == 1), -1.0, 1.0)


def sine_form(xp: Any, n: Any, x: Any) -> Any:
    """U_n by its definition, sin((n + 1) acos x) / sin(acos x); its limit n + 1 at 1."""
    size = xp.abs(x)
    angle = xp.where(size < 1, xp.arccos(xp.minimum(size, 1.0)), 1.0)
    growth = xp.where(size > 1, xp.arccosh(xp.maximum(size, 1.0)), 1.0)
    outside = xp.sinh(xp.minimum((n + 1) * growth, 1000.0)) / xp.sinh(growth)
    values = xp.where(size > 1, outside, xp.where(size == 1, n + 1.0, xp.sin((n + 1) * angle) / xp.sin(angle)))
    return values * xp.where((x < 0) & (n % 2 == 1), -1.0, 1.0)


def not_a_number(xp: Any, n: Any, x: Any) -> Any:
    """Hermite polynomials of so high a degree: infinity minus infinity, for every x."""
    return xp.full(xp.broadcast_shapes(n.shape, x.shape), xp.nan)


CLOSED: dict[str, Callable[..., Any]] = {
    "eval_chebyt": cosine_form, "eval_chebyu": sine_form,
    "eval_hermite": not_a_number, "eval_hermitenorm": not_a_number,
}  # fmt: skip
"""Functions that give the values for degrees above MANY, without a recurrence."""


def by_recurrence(xp: Any, scipy_name: str, n: Any, parameters: tuple[float, ...], x: Any) -> Any:
    """SciPy's recurrence, which takes n steps for each element; another form for degrees that are too large for it."""
    high = n > MANY
    if not xp.any(high):
        return getattr(scipy_special(xp), scipy_name)(n, *parameters, x)
    if scipy_name not in CLOSED:
        raise RuntimeError(
            f"a {scipy_name.removeprefix('eval_')} polynomial of degree {int(n.max())} would take as many steps for "
            f"each element: expected a degree of at most {MANY}"
        )
    low = getattr(scipy_special(xp), scipy_name)(xp.where(high, 0, n), *parameters, x)
    return xp.where(high, CLOSED[scipy_name](xp, n, x), low)


SHORT = 16
"""The largest degree of a recurrence whose steps are done for all elements together."""
FIRST: dict[str, Callable[..., Any]] = {
    "eval_chebyt": lambda x: x, "eval_chebyu": lambda x: 2 * x, "eval_hermite": lambda x: 2 * x,
    "eval_hermitenorm": lambda x: x, "eval_laguerre": lambda x: 1 - x, "eval_legendre": lambda x: x,
}  # fmt: skip
"""The polynomials of degree 1; those of degree 0 are 1."""
NEXT: dict[str, Callable[..., Any]] = {
    "eval_chebyt": lambda k, x, p, q: 2 * x * p - q,
    "eval_chebyu": lambda k, x, p, q: 2 * x * p - q,
    "eval_hermite": lambda k, x, p, q: 2 * (x * p - k * q),
    "eval_hermitenorm": lambda k, x, p, q: x * p - k * q,
    "eval_laguerre": lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
    "eval_legendre": lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
}
"""The polynomials of degree k + 1, of those of the degrees k and k - 1."""


def short_recurrence(scipy_name: str, n: int, x: Any) -> Any:
    """A polynomial of degree n of a float64 array."""
    q, p = np.ones_like(x), FIRST[scipy_name](x)
    for k in range(1, n):
        q, p = p, NEXT[scipy_name](k, x, p, q)
    return p if n else q


def is_short(x: Any, degree: Any) -> bool:
    """Whether NumPy has one degree for all elements of x, of few steps."""
    return isinstance(x, np.ndarray) and degree.size == 1 and degree.ndim <= x.ndim and 0 <= degree.item() <= SHORT


def polynomial(scipy_name: str, *parameters: float) -> Callable[..., Any]:
    """The reference of a row: SciPy's recurrence, which is for integers n, in double precision."""

    def reference(xp: Any, x: Any, n: Any, *more: float) -> Any:
        degree = xp.trunc(xp.asarray(n, dtype=xp.float64)).astype(xp.int64)
        if scipy_name in NEXT and is_short(x, degree):
            return by_blocks(lambda each: short_recurrence(scipy_name, degree.item(), each), x)
        kept = xp.maximum(degree, 0)
        values = by_recurrence(xp, scipy_name, kept, (*parameters, *more), x.astype(xp.float64))
        return xp.where(degree < 0, 0.0, values).astype(x.dtype)

    return reference


def row(name: str, scipy_name: str, words: str) -> Op:
    """A polynomial of self, of the degree n."""
    return TABLE.pointwise_binary(
        f"special_{name}(Any self, Any n) -> Tensor", reference=polynomial(scipy_name), promotion="float", dtypes=WIDE,
        texts={"label": f"{name}_cpu"}, inplace=False, doc=f"The {words} of degree n.",
    )


t_op = row("chebyshev_polynomial_t", "eval_chebyt", "Chebyshev polynomial of the first kind")
u_op = row("chebyshev_polynomial_u", "eval_chebyu", "Chebyshev polynomial of the second kind")
row("hermite_polynomial_h", "eval_hermite", "physicists' Hermite polynomial")
row("hermite_polynomial_he", "eval_hermitenorm", "probabilists' Hermite polynomial")
row("laguerre_polynomial_l", "eval_laguerre", "Laguerre polynomial")
row("legendre_polynomial_p", "eval_legendre", "Legendre polynomial")

# what formulas call: derivatives of those above are of these two families
for family in ("gegenbauer", "genlaguerre"):
    TABLE.array(
        f"_{family}(Tensor self, Any n, float alpha) -> Tensor", method=False,
        reference=lambda xp, x, n, alpha, compute=family: polynomial(f"eval_{compute}", alpha)(xp, x, n),
        doc=f"scipy.special.eval_{family}.",
    )
    TABLE.hidden.add(f"_{family}")


def degree(n: Any) -> Any:
    """n cut to an integer."""
    return n.trunc() if isinstance(n, Tensor) else int(n)


def third_kind(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the third kind of degree n."""
    return wc.sub(u_op(input, degree(n)), u_op(input, degree(n) - 1), out=out)


def fourth_kind(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind of degree n."""
    return wc.add(u_op(input, degree(n)), u_op(input, degree(n) - 1), out=out)


def add_shifted(name: str, of: Callable[..., Tensor]) -> None:
    """The same polynomial of 2 input - 1, which is orthogonal on [0, 1]."""

    def shifted_polynomial(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
        return of(2 * input - 1, n, out=out)

    TABLE.composite(shifted_polynomial, name=f"shifted_{name}", namespace="special", doc=f"{name} of 2 * input - 1.")


for letter, function in (("v", third_kind), ("w", fourth_kind)):
    TABLE.composite(function, name=f"chebyshev_polynomial_{letter}", namespace="special")
for letter, of in (("t", t_op), ("u", u_op), ("v", third_kind), ("w", fourth_kind)):
    add_shifted(f"chebyshev_polynomial_{letter}", of)
