"""The normal distribution and the scaled error function, entropy, and xlog1py."""

from __future__ import annotations

from wengert_core.extend import FLOATING

from wengert_special.table import TABLE, WIDE, from_scipy

for name, dtypes, words in (
    ("erfcx", WIDE, "exp(self ** 2) * erfc(self), which does not underflow."),
    ("log_ndtr", WIDE, "The logarithm of the distribution function of the standard normal distribution."),
    ("ndtri", WIDE, "The inverse of ndtr: the quantiles of the standard normal distribution."),
    ("entr", FLOATING, "-self * log(self), 0 at 0 and -infinity below."),
):
    TABLE.pointwise_unary(
        f"special_{name}(Tensor self) -> Tensor", reference=from_scipy(name), promotion="float", dtypes=dtypes,
        texts={"label": f"{name}_cpu"}, inplace=False, doc=words, kernels=["entr"] if name == "entr" else (),
    )
TABLE.pointwise_binary(
    "special_xlog1py(Any self, Any other) -> Tensor", reference=from_scipy("xlog1py"), promotion="float",
    dtypes=FLOATING, texts={"label": "xlog1py_cpu"}, inplace=False, doc="self * log1p(other), and 0 where self is 0.",
)
