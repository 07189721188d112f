"""The gamma function's logarithm, its derivative, and the multivariate one."""

from __future__ import annotations

import math

from wengert_core.ops.pointwise.gamma_math import digamma, lgamma
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.tensors.tensor import Tensor

ops, unary = TABLE.ops, TABLE.pointwise_unary

lgamma_op = unary(
    "lgamma(Tensor self) -> Tensor", kernels=["lgamma"], reference=lgamma, promotion="float", dtypes=FLOATING,
    texts={"label": "lgamma_vml_cpu"},
)
unary(
    "digamma(Tensor self) -> Tensor", kernels=["digamma"], reference=digamma, promotion="float", dtypes=FLOATING,
    texts={"label": "digamma"},
)


def halves(x: Tensor, p: int) -> Tensor:
    """What the gamma functions of the product are of: x and p - 1 numbers less by halves, as a last dim."""
    dtype = x.dtype if x.dtype.is_floating_point else None
    steps = ops["arange"](-p / 2 + 0.5, 0.5, 0.5, dtype=dtype, device=x.device)
    less: Tensor = ops["add"](ops["unsqueeze"](x, -1), steps)
    return less


def multivariate(self: Tensor, p: int) -> Tensor:
    """The stages of mvlgamma."""
    if self.dtype.name == "bool":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError(f"p has to be greater than or equal to 1, got {p}")
    result: Tensor = ops["add"](ops["sum"](ops["lgamma"](halves(self, p)), -1), p * (p - 1) / 4 * math.log(math.pi))
    return result


TABLE.staged(
    "mvlgamma(Tensor self, int p) -> Tensor",
    stages=multivariate,
    reference=lambda xp, x, p: (
        sum(lgamma(xp, x - i / 2) for i in range(p)) + p * (p - 1) / 4 * math.log(math.pi)
    ),
    inplace="method",
)
