"""Elliptic integrals: Legendre's, in the parameter m, and Carlson's symmetric ones."""

from __future__ import annotations

from wengert_special.moments import carlson
from wengert_special.table import TABLE, WIDE, scipy_row

for name, parameters, words in (
    ("ellipk", "m", "The complete elliptic integral of the first kind."),
    ("ellipkm1", "p", "The complete elliptic integral of the first kind of m = 1 - self."),
    ("ellipe", "m", "The complete elliptic integral of the second kind."),
    ("ellipkinc", "phi m", "The incomplete elliptic integral of the first kind."),
    ("ellipeinc", "phi m", "The incomplete elliptic integral of the second kind."),
    ("elliprc", "x y", "Carlson's degenerate elliptic integral RC."),
    ("elliprf", "x y z", "Carlson's elliptic integral of the first kind RF."),
    ("elliprd", "x y z", "Carlson's elliptic integral of the second kind RD, symmetric in x and y."),
    ("elliprg", "x y z", "Carlson's elliptic integral of the second kind RG."),
):
    scipy_row(name, parameters, words)

TABLE.pointwise(
    6, "_carlson(Any x, Any y, Any z, int i, int j, int k) -> Tensor", reference=carlson, promotion="float",
    dtypes=WIDE, inplace=False, method=False, n_promote=3, doc="An integral that derivatives of RD are made of.",
)
TABLE.hidden.add("_carlson")
