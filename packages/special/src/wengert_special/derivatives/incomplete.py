"""Derivatives of the incomplete gamma and beta functions and of their inverses, by all arguments.

That by a parameter is an integral, see Note [Moments from the nearer end] in wengert_special/moments.py.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import internal, special, tensors

elementwise = TABLE.elementwise


# ---- the gamma distribution
def gamma_density(a: Any, x: Any) -> Any:
    """The density of the gamma distribution of shape a at x."""
    a, x = tensors(a, x)
    return (wc.xlogy(a - 1, x) - x - a.lgamma()).exp()


def gamma_moment(a: Any, x: Any, j: int) -> Tensor:
    """The integral of the j-th power of the score over the nearer end."""
    return internal("_gamma_moment", a, x, j)


def gamma_shape(a: Any, x: Any) -> Tensor:
    """The derivative of the regularized lower incomplete gamma function by a."""
    return gamma_moment(a, x, 1)


def moment_a(a: Any, x: Any, j: int) -> Tensor:
    """The derivative of a moment by the shape."""
    a, x = tensors(a, x)
    above = gamma_moment(a, x, j + 1)
    return above - j * internal("_polygamma", a, 1) * gamma_moment(a, x, j - 1) if j else above


def moment_x(a: Any, x: Any, j: int) -> Any:
    """The integrand at its end."""
    a, x = tensors(a, x)
    density = gamma_density(a, x)
    return density * (x.log() - a.digamma()) ** j if j else density


elementwise("_gamma_moment", a=moment_a, x=moment_x)
elementwise("_gammainc", a=gamma_shape, x=gamma_density)
elementwise("_gammaincc", a=lambda a, x: -gamma_shape(a, x), x=lambda a, x: -gamma_density(a, x))
elementwise("special_gammaincinv", a=lambda a, result: -gamma_shape(a, result) / gamma_density(a, result),
            y=lambda a, result: 1 / gamma_density(a, result))
elementwise("special_gammainccinv", a=lambda a, result: -gamma_shape(a, result) / gamma_density(a, result),
            y=lambda a, result: -1 / gamma_density(a, result))


# ---- the beta distribution
def beta_density(a: Any, b: Any, x: Any) -> Tensor:
    """The density of the beta distribution at x."""
    a, b, x = tensors(a, b, x)
    return (wc.xlogy(a - 1, x) + special("xlog1py", b - 1, -x) - special("betaln", a, b)).exp()


def odds_density(a: Any, b: Any, u: Any) -> Any:
    """The density of the odds u = x / (1 - x) of the beta distribution."""
    a, b, u = tensors(a, b, u)
    return (wc.xlogy(a - 1, u) - (a + b) * u.log1p() - special("betaln", a, b)).exp()


def beta_moment(a: Any, b: Any, u: Any, j: int, k: int) -> Tensor:
    """The integral of powers of the scores over the nearer end."""
    return internal("_beta_moment", a, b, u, j, k)


def odds(x: Any) -> Any:
    """x / (1 - x)."""
    return x / (1 - x) if isinstance(x, Tensor) or x != 1 else float("inf")


def beta_a(a: Any, b: Any, x: Any) -> Tensor:
    """The derivative of the regularized incomplete beta function by a."""
    return beta_moment(a, b, odds(x), 1, 0)


def beta_b(a: Any, b: Any, x: Any) -> Tensor:
    """The derivative of the regularized incomplete beta function by b."""
    return beta_moment(a, b, odds(x), 0, 1)


def trigamma(x: Tensor) -> Tensor:
    """The derivative of digamma."""
    return internal("_polygamma", x, 1)


def beta_moment_slope(a: Any, b: Any, u: Any, j: int, k: int, by_a: bool) -> Tensor:
    """The derivative of a moment by a or b."""
    a, b, u = tensors(a, b, u)
    shared, own = -trigamma(a + b), trigamma(a if by_a else b)
    total = beta_moment(a, b, u, j + by_a, k + (not by_a))
    if j:
        total = total - j * (own + shared if by_a else shared) * beta_moment(a, b, u, j - 1, k)
    if k:
        total = total - k * (shared if by_a else own + shared) * beta_moment(a, b, u, j, k - 1)
    return total


def beta_moment_u(a: Any, b: Any, u: Any, j: int, k: int) -> Any:
    """The integrand at its end."""
    a, b, u = tensors(a, b, u)
    value, mean = odds_density(a, b, u), (a + b).digamma()
    if j:
        value = value * (-(1 / u).log1p() - a.digamma() + mean) ** j
    if k:
        value = value * (-u.log1p() - b.digamma() + mean) ** k
    return value


elementwise(
    "_beta_moment",
    a=lambda a, b, u, j, k: beta_moment_slope(a, b, u, j, k, True),
    b=lambda a, b, u, j, k: beta_moment_slope(a, b, u, j, k, False),
    u=beta_moment_u,
)
elementwise("special_betainc", a=beta_a, b=beta_b, x=beta_density)
elementwise("special_betaincc", a=lambda a, b, x: -beta_a(a, b, x), b=lambda a, b, x: -beta_b(a, b, x),
            x=lambda a, b, x: -beta_density(a, b, x))


def add_inverse(op: str, sign: int) -> None:
    """The formula of an inverse of the incomplete beta function, or of 1 minus it."""
    elementwise(
        op,
        a=lambda a, b, result: -beta_a(a, b, result) / beta_density(a, b, result),
        b=lambda a, b, result: -beta_b(a, b, result) / beta_density(a, b, result),
        y=lambda a, b, result: sign / beta_density(a, b, result),
    )


add_inverse("special_betaincinv", 1)
add_inverse("special_betainccinv", -1)
