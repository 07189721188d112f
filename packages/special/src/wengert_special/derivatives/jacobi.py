"""Derivatives of orthogonal polynomials by their variable: polynomials of the degree below, with wider parameters."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import missing_each, special, tensors, where

elementwise = TABLE.elementwise


def below(name: str, factor: Any, n: Any, *arguments: Any) -> Any:
    """factor times the polynomial of the degree below n; 0 for n = 0, where there is none."""
    constant = n == 0
    return special(f"eval_{name}", where(constant, 0, n - 1), *arguments) * where(constant, 0, factor)


def sh_jacobi_slope(n: Any, p: Any, q: Any, x: Any) -> Any:
    """The derivative of a Jacobi polynomial of 2 x - 1, divided by the leading coefficient."""
    n, p, q, x = tensors(n, p, q, x)
    return below("jacobi", (n + p) / special("binom", 2 * n + p - 1, n), n, p - q + 1, q, 2 * x - 1)


elementwise("special_eval_jacobi", **missing_each("eval_jacobi", "n", "alpha", "beta"),
            x=lambda n, alpha, beta, x: below("jacobi", (n + alpha + beta + 1) / 2, n, alpha + 1, beta + 1, x))
elementwise("special_eval_sh_jacobi", **missing_each("eval_sh_jacobi", "n", "p", "q"), x=sh_jacobi_slope)
elementwise("special_eval_gegenbauer", **missing_each("eval_gegenbauer", "n", "alpha"),
            x=lambda n, alpha, x: below("gegenbauer", 2 * alpha, n, alpha + 1, x))
elementwise("special_eval_genlaguerre", **missing_each("eval_genlaguerre", "n", "alpha"),
            x=lambda n, alpha, x: below("genlaguerre", -1, n, alpha + 1, x))
SLOPES: dict[str, Any] = {
    "chebyt": lambda n, x: below("chebyu", n, n, x),
    "chebyu": lambda n, x: below("gegenbauer", 2, n, 2.0, x),
    "chebyc": lambda n, x: below("chebys", n, n, x),
    "chebys": lambda n, x: below("gegenbauer", 1, n, 2.0, x / 2),
    "sh_chebyt": lambda n, x: below("sh_chebyu", 2 * n, n, x),
    "sh_chebyu": lambda n, x: below("gegenbauer", 4, n, 2.0, 2 * x - 1),
    "legendre": lambda n, x: below("gegenbauer", 1, n, 1.5, x),
    "sh_legendre": lambda n, x: below("gegenbauer", 2, n, 1.5, 2 * x - 1),
    "laguerre": lambda n, x: below("genlaguerre", -1, n, 1.0, x),
    "hermite": lambda n, x: below("hermite", 2 * n, n, x),
    "hermitenorm": lambda n, x: below("hermitenorm", n, n, x),
}
"""The derivatives by x."""
for name, slope in SLOPES.items():
    elementwise(f"special_eval_{name}", **missing_each(f"eval_{name}", "n"), x=slope)


def lpmv_slope(m: Any, v: Any, x: Any, result: Tensor) -> Any:
    """(v x P(v) - (v + m) P(v - 1)) / (x ** 2 - 1), DLMF 14.10.5, inside of -1 < x < 1."""
    m, v, x = tensors(m, v, x)
    return (v * x * result - (v + m) * special("lpmv", m, v - 1, x)) / (x * x - 1)


elementwise("special_lpmv", **missing_each("lpmv", "m", "v"), x=lpmv_slope)
