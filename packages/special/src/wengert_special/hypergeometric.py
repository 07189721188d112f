"""Hypergeometric functions, Wright's omega function, and Lambert's W."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import COMPLEX

from wengert_special.table import TABLE, scipy_row, scipy_special


def limit_function(xp: Any, v: Any, z: Any) -> Any:
    """0F1, which is a Bessel function where v is 1: SciPy's divides by zero there, for a large z."""
    special = scipy_special(xp)
    v = v.real
    large = (v == 1) & (z.real > 1e5)
    found = special.hyp0f1(xp.where(large, v + 1, v), z)
    return xp.where(large, special.iv(0, 2 * xp.sqrt(xp.where(large, z, 1))), found) if large.any() else found


scipy_row("hyp0f1", "v z", "The confluent hypergeometric limit function 0F1.", complex_orders=1,
          reference=limit_function)
scipy_row("hyp1f1", "a b x", "The confluent hypergeometric function 1F1.", complex_orders=2)
scipy_row("hyp2f1", "a b c z", "Gauss's hypergeometric function 2F1.", complex_orders=3)
scipy_row("hyperu", "a b x", "The confluent hypergeometric function U.")
scipy_row("wrightomega", "z", "Wright's omega function: the solution of w + log(w) = self.", complex_orders=0)


def lambert(xp: Any, z: Any, k: Any, tol: Any) -> Any:
    """Branch k of Lambert's W, of complex numbers."""
    branch, tolerance = k.real.astype(xp.int64), tol.real.astype(xp.float64)
    return scipy_special(xp).lambertw(z, branch, tolerance)


TABLE.pointwise(
    3, "_lambertw(Any z, Any k, Any tol) -> Tensor", reference=lambert, dtypes=COMPLEX, inplace=False, method=False,
    texts={"label": "lambertw_cpu"}, doc="Branch k of Lambert's W function, the solution of w * exp(w) = z.",
)
TABLE.hidden.add("_lambertw")
