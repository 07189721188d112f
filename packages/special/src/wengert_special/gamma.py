"""Derivatives of digamma, the incomplete gamma functions, and Hurwitz's zeta function."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import wengert_core as wc
from wengert_core.extend import CPP_NAMES, FLOATING, Tensor, not_implemented_for

from wengert_special.blocks import by_blocks
from wengert_special.table import TABLE, WIDE, from_scipy, scipy_special

for name, scipy_name, which in (("igamma", "gammainc", "lower"), ("igammac", "gammaincc", "upper")):
    op = TABLE.pointwise_binary(
        f"{name}(Tensor self, Tensor other) -> Tensor", reference=from_scipy(scipy_name), dtypes=FLOATING,
        texts={"label": f"{name}_cpu"}, doc=f"The regularized {which} incomplete gamma function of self at other.",
    )
    TABLE.alias(f"special.{scipy_name}", op, method=False)

TABLE.pointwise_binary(
    "special_zeta(Any self, Any other) -> Tensor", reference=from_scipy("zeta"), promotion="float", dtypes=WIDE,
    texts={"label": "zeta_cpu"}, inplace=False, doc="Hurwitz's zeta function: the sum of (k + other) ** -self over k.",
)


# ---- polygamma
LARGEST_FACTORIAL = 170  # in float64: 171! is infinite


def derivative_of_digamma(xp: Any, x: Any, n: int) -> Any:
    """The n-th derivative of digamma, infinite at 0 and the negative integers."""
    special, wide = scipy_special(xp), x.astype(xp.float64)
    if n == 0:
        return special.psi(wide).astype(x.dtype)
    if n > 1:
        factor = math.factorial(n) if n <= LARGEST_FACTORIAL else math.inf
        return ((-1.0) ** (n + 1) * factor * special.zeta(n + 1.0, wide)).astype(x.dtype)
    return by_blocks(lambda each: trigamma(xp, each), x)


STEPS = 8
"""By so much is x raised before the asymptotic series of trigamma."""
SERIES = (7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6, 0.5)
"""Bernoulli's numbers B14, ..., B2 and 1/2: as many as float64 needs from STEPS + 1/2 on."""


def trigamma(xp: Any, x: Any) -> Any:
    """The derivative of digamma: the sum of (x + k)**-2, by its first terms and the series of the others."""
    negative = x < 0.5
    reflects = bool(xp.any(negative))
    y = xp.where(negative, 1 - x, x) if reflects else x
    inverse = 1 / (y + STEPS)
    square = inverse * inverse
    series = SERIES[0] * square
    for number in SERIES[1:-1]:
        series = (series + number) * square
    total = inverse + inverse * (series + SERIES[-1] * inverse)
    for k in reversed(range(STEPS)):
        raised = y + k
        total = total + 1 / (raised * raised)
    if not reflects:
        return total
    part = x - xp.round(x)  # from the nearest integer: sin keeps its precision
    reflected = xp.where(part == 0, xp.inf, (math.pi / xp.sin(math.pi * xp.where(part == 0, 0.5, part))) ** 2) - total
    return xp.where(negative, reflected, total)


polygamma_op = TABLE.array(
    "_polygamma(Tensor self, int n, *, Tensor? out=None) -> Tensor", reference=derivative_of_digamma, method=False,
    order="dims", doc="The n-th derivative of digamma.",
)
TABLE.hidden.add("_polygamma")


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma, elementwise."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if index(n) < 0:
        raise RuntimeError(f"polygamma(n, x) does not support negative n, got {n}.")
    if input.dtype.is_complex:
        raise not_implemented_for("polygamma", input.dtype)
    x = input if input.dtype.is_floating_point else wc.mul(input, 1.0)
    result: Tensor = polygamma_op(x, index(n), out=out)
    return result


def polygamma_method(self: Tensor, n: int) -> Tensor:
    """The n-th derivative of digamma, elementwise."""
    return polygamma(n, self)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """In-place version of polygamma."""
    if not self.dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {CPP_NAMES[self.dtype.name]}")
    return self.copy_(polygamma(n, self.clone()))  # the gradient needs what self was


TABLE.composite(polygamma)
TABLE.composite(polygamma, namespace="special")
TABLE.methods.update(polygamma=polygamma_method, polygamma_=polygamma_)
