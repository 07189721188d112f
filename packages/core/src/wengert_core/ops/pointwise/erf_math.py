"""The error function and its inverse, as formulas on arrays of any array namespace.

Source: W. J. Cody, "Rational Chebyshev approximation for the error function", Math. Comp. 23 (1969); the coefficients
are those of his CALERF. The inverse: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal
distribution", Applied Statistics 37 (1988).
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
QUANTILE_NEAR = (
    (
        2.5090809287301226727e3,
        3.3430575583588128105e4,
        6.7265770927008700853e4,
        4.5921953931549871457e4,
        1.3731693765509461125e4,
        1.9715909503065514427e3,
        1.3314166789178437745e2,
        3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3,
        2.8729085735721942674e4,
        3.9307895800092710610e4,
        2.1213794301586595867e4,
        5.3941960214247511077e3,
        6.8718700749205790830e2,
        4.2313330701600911252e1,
        1.0,
    ),
)
QUANTILE_MIDDLE = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
QUANTILE_FAR = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e0,
        5.46378491116411436990e0,
        6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
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
    """The inverse of erf, by the quantile of the normal distribution at (1 + x) / 2; NaN outside [-1, 1]."""
    wide = x.astype(xp.float64)
    size = xp.abs(wide)
    half = xp.minimum(size, 0.85) / 2
    near = half * ratio(QUANTILE_NEAR, 0.180625 - half * half)
    root = xp.sqrt(-xp.log((1 - xp.minimum(xp.maximum(size, 0.85), 1 - 2.0**-53)) / 2))
    middle = ratio(QUANTILE_MIDDLE, xp.minimum(root, 5.0) - 1.6)
    far = xp.where(root <= 5, middle, ratio(QUANTILE_FAR, xp.maximum(root, 5.0) - 5))
    y = xp.where(size <= 0.85, near, far) * 0.5**0.5
    y = xp.where(size == 1, xp.inf, xp.where(size < 1, y, xp.nan))
    return xp.copysign(y, wide).astype(x.dtype)
