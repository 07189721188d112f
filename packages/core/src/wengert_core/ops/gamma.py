"""The gamma function's logarithm, its derivative, and the multivariate one."""

from __future__ import annotations

import math

from wengert_core.ops.gamma_function import digamma, lgamma
from wengert_core.ops.table import TABLE
from wengert_core.rows.base import FLOATING
from wengert_core.tensor import Tensor

ops, unary, composite = TABLE.ops, TABLE.pointwise_unary, TABLE.composite

lgamma_op = unary(
    "lgamma(Tensor self) -> Tensor", kernels=["lgamma"], reference=lgamma, promotion="float", dtypes=FLOATING,
    texts={"label": "lgamma_vml_cpu"}, doc="The logarithm of the absolute value of the gamma function.",
)
unary(
    "digamma(Tensor self) -> Tensor", kernels=["digamma"], reference=digamma, promotion="float", dtypes=FLOATING,
    texts={"label": "digamma"}, doc="The derivative of lgamma.",
)


def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p, elementwise."""
    if input.dtype.name == "bool":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError(f"p has to be greater than or equal to 1, got {p}")
    dtype = input.dtype if input.dtype.is_floating_point else None
    halves = ops["arange"](-p / 2 + 0.5, 0.5, 0.5, dtype=dtype, device=input.device)
    terms = ops["lgamma"](ops["add"](ops["unsqueeze"](input, -1), halves))
    return ops["add"](ops["sum"](terms, -1), p * (p - 1) / 4 * math.log(math.pi), out=out)


def mvlgamma_(self: Tensor, p: int) -> Tensor:
    """In-place version of mvlgamma."""
    return ops["copy_"](self, mvlgamma(self, p))


composite(mvlgamma, method=True)
TABLE.methods["mvlgamma_"] = mvlgamma_
