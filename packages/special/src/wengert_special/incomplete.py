"""The incomplete gamma and beta functions, their inverses, and the integrals that their derivatives are made of."""

from __future__ import annotations

from wengert_special.moments import beta_moment, gamma_moment
from wengert_special.table import TABLE, WIDE, scipy_row

# igamma and igammac are PyTorch's, without a derivative by the shape
for name, which in (("gammainc", "lower"), ("gammaincc", "upper")):
    scipy_row(name, "a x", f"The regularized {which} incomplete gamma function of shape a.", hidden=True)
for name, parameters, words in (
    ("gammaincinv", "a y", "The x at which the regularized lower incomplete gamma function is y."),
    ("gammainccinv", "a y", "The x at which the regularized upper incomplete gamma function is y."),
    ("betainc", "a b x", "The regularized incomplete beta function."),
    ("betaincc", "a b x", "1 minus the regularized incomplete beta function."),
    ("betaincinv", "a b y", "The x at which the regularized incomplete beta function is y."),
    ("betainccinv", "a b y", "The x at which 1 minus the regularized incomplete beta function is y."),
):
    scipy_row(name, parameters, words)

# ---- what formulas call
TABLE.pointwise(
    3, "_gamma_moment(Any a, Any x, int j) -> Tensor", reference=gamma_moment, promotion="float", dtypes=WIDE,
    inplace=False, method=False, n_promote=2, doc="An integral over one end of a gamma distribution.",
)
TABLE.pointwise(
    5, "_beta_moment(Any a, Any b, Any u, int j, int k) -> Tensor", reference=beta_moment, promotion="float",
    dtypes=WIDE, inplace=False, method=False, n_promote=3, doc="An integral over one end of a beta distribution.",
)
TABLE.hidden.update(("_gamma_moment", "_beta_moment"))
