"""Derivatives of orthogonal polynomials: polynomials of the degree below, of the same family or of a wider one."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor, find_op

from wengert_special.derivatives import TABLE
from wengert_special.polynomials import degree


def of_family(family: str, x: Tensor, n: Any, alpha: float) -> Tensor:
    """A polynomial of a family with a parameter."""
    result: Tensor = find_op(family)(x, degree(n), alpha)
    return result


def polynomial(op: str, slope: Any) -> None:
    """The formula of a polynomial: in n it is made of steps."""
    TABLE.elementwise(op, self=slope, n=None)


def below(op: str, factor: int) -> Any:
    """factor * n * the polynomial of the degree below."""
    return lambda self, n: find_op(op)(self, degree(n) - 1) * (factor * degree(n))


polynomial("special_chebyshev_polynomial_t",
           lambda self, n: find_op("special_chebyshev_polynomial_u")(self, degree(n) - 1) * degree(n))
polynomial("special_chebyshev_polynomial_u", lambda self, n: 2 * of_family("_gegenbauer", self, degree(n) - 1, 2.0))
polynomial("special_hermite_polynomial_h", below("special_hermite_polynomial_h", 2))
polynomial("special_hermite_polynomial_he", below("special_hermite_polynomial_he", 1))
polynomial("special_laguerre_polynomial_l", lambda self, n: -of_family("_genlaguerre", self, degree(n) - 1, 1.0))
polynomial("special_legendre_polynomial_p", lambda self, n: of_family("_gegenbauer", self, degree(n) - 1, 1.5))
polynomial("_gegenbauer", lambda self, n, alpha: 2 * alpha * of_family("_gegenbauer", self, degree(n) - 1, alpha + 1))
polynomial("_genlaguerre", lambda self, n, alpha: -of_family("_genlaguerre", self, degree(n) - 1, alpha + 1))
