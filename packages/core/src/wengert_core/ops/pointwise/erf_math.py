"""The error function and its inverse, as formulas on arrays of any array namespace.

Source: W. J. Cody, "Rational Chebyshev approximation for the error function", Math. Comp. 23 (1969); the coefficients
are those of his CALERF. The inverse starts from M. Giles, "Approximating the erfinv function", GPU Computing Gems,
2011.
"""

from __future__ import annotations

from typing import Any

SMALL = (
    (
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    ),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
MIDDLE = (
    (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594e0,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    ),
)
LARGE = (
    (
        1.63153871373020978e-2,
        3.05326634961232344e-1,
        3.60344899949804439e-1,
        1.25781726111229246e-1,
        1.60837851487422766e-2,
        6.58749161529837803e-4,
    ),
    (
        1.0,
        2.56852019228982242e0,
        1.87295284992346725e0,
        5.27905102951428412e-1,
        6.05183413124413191e-2,
        2.33520497626869185e-3,
    ),
)
GILES_NEAR = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
GILES_FAR = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)
SQRT_PI = 1.7724538509055160273


def polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    """Horner's rule, the highest power first."""
    value = coefficients[0]
    for c in coefficients[1:]:
        value = value * x + c
    return value


def ratio(pair: tuple[tuple[float, ...], tuple[float, ...]], x: Any) -> Any:
    """The quotient of two polynomials."""
    return polynomial(pair[0], x) / polynomial(pair[1], x)


def complement(xp: Any, y: Any) -> Any:
    """erfc(y) for float64 y >= 0.46875."""
    top = xp.minimum(y, 27.5)  # above it the result is 0
    near = ratio(MIDDLE, xp.minimum(top, 4.0))
    inverse = 1 / xp.maximum(top, 4.0) ** 2
    far = (1 / SQRT_PI - inverse * ratio(LARGE, inverse)) / xp.maximum(top, 4.0)
    head = xp.trunc(top * 16) / 16  # exp(-y * y) without losing the low bits of y * y
    scale = xp.exp(-head * head) * xp.exp(-(top - head) * (top + head))
    return xp.where(xp.isnan(y), y, scale * xp.where(top <= 4.0, near, far))


def erf(xp: Any, x: Any) -> Any:
    """The error function, to the precision of x's dtype."""
    wide = x.astype(xp.float64)
    size = xp.abs(wide)
    inner = wide * ratio(SMALL, xp.minimum(size, 0.46875) ** 2)
    outer = xp.sign(wide) * (1 - complement(xp, xp.maximum(size, 0.46875)))
    return xp.where(size <= 0.46875, inner, outer).astype(x.dtype)


def erfc(xp: Any, x: Any) -> Any:
    """1 - erf(x), to the precision of x's dtype."""
    wide = x.astype(xp.float64)
    size = xp.abs(wide)
    inner = 1 - wide * ratio(SMALL, xp.minimum(size, 0.46875) ** 2)
    outer = complement(xp, xp.maximum(size, 0.46875))
    return xp.where(size <= 0.46875, inner, xp.where(wide < 0, 2 - outer, outer)).astype(x.dtype)


def erfinv(xp: Any, x: Any) -> Any:
    """The inverse of erf: Giles' approximation, then steps of Halley's method; NaN outside [-1, 1]."""
    wide = x.astype(xp.float64)
    size = xp.abs(wide)
    inside = xp.minimum(size, 1 - 2.0**-53)
    w = -xp.log((1 - inside) * (1 + inside))
    y = inside * xp.where(w < 5, polynomial(GILES_NEAR, w - 2.5), polynomial(GILES_FAR, xp.sqrt(w) - 3))
    for _ in range(3):
        error = xp.where(inside < 0.5, erf(xp, y) - inside, (1 - inside) - erfc(xp, y))
        step = error / (2 / SQRT_PI * xp.exp(-y * y))
        y = y - step / (1 + y * step)
    y = xp.where(size == 1, xp.inf, xp.where(size < 1, y, xp.nan))
    return (xp.sign(wide) * y).astype(x.dtype)
