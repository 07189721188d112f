"""Exponentials, logarithms, and the error function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_core.drivers.out_argument import into
from wengert_core.ops.pointwise.erf_math import erf, erfc, erfinv
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, FLOATING_COMPLEX
from wengert_core.tensors.tensor import Tensor

unary, binary = TABLE.pointwise_unary, TABLE.pointwise_binary

for name, ufunc in (
    ("exp", np.exp),
    ("exp2", np.exp2),
    ("expm1", np.expm1),
    ("log", np.log),
    ("log2", np.log2),
    ("log10", np.log10),
):
    unary(f"{name}(Tensor self) -> Tensor", kernels=[name, ufunc], promotion="float", dtypes=FLOATING_COMPLEX)


def log_of_one_and(xp: Any, x: Any) -> Any:
    """log(1 + x), exact near 0: of a small complex number |1 + x|**2 - 1 is computed, without the 1."""
    if x.dtype.kind != "c":
        return xp.log1p(x)
    wide = x.astype(xp.complex128)
    a, b = wide.real, wide.imag
    near = xp.where(xp.abs(wide) < 0.5, a * (2 + a) + b * b, 0)
    near = xp.where(near == 0, a, xp.log1p(near) / 2)
    result = xp.empty_like(wide)
    result.real = xp.where(xp.abs(wide) < 0.5, near, xp.log(xp.hypot(1 + a, b)))
    result.imag = xp.arctan2(b, 1 + a)
    return result.astype(x.dtype)


unary(
    "log1p(Tensor self) -> Tensor",
    kernels=["log1p", (np.log1p, 2, 2)],
    reference=log_of_one_and,
    promotion="float",
    dtypes=FLOATING_COMPLEX,
)


def log_of_sum(xp: Any, x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)), from the larger one."""
    if x.dtype.kind != "c":
        return xp.logaddexp(x, y)
    high, low = xp.where(x.real >= y.real, x, y), xp.where(x.real >= y.real, y, x)
    low_end, high_end = high.real == -xp.inf, low.real == xp.inf
    ratio = xp.exp(xp.where(xp.isinf(high.real), 0, low - high)) * ~xp.isinf(high.real)
    total = xp.where(low_end, y, high + log_of_one_and(xp, ratio))
    total = xp.where(high_end, xp.log(xp.exp(x) + xp.exp(y)), total)
    return xp.where(xp.isnan(x) | xp.isnan(y), complex(xp.nan, xp.nan), total).astype(x.dtype)


binary(
    "logaddexp(Tensor self, Tensor other) -> Tensor",
    kernels=["logaddexp", np.logaddexp],
    reference=log_of_sum,
    dtypes=FLOATING_COMPLEX,
    inplace=False,
)
binary(
    "xlogy(Any self, Any other) -> Tensor",
    kernels=["xlogy"],
    promotion="float",
    narrow="first",
    dtypes=FLOATING,
    reference=lambda xp, x, y: xp.where((x == 0) & ~xp.isnan(y), 0, x * xp.log(y)).astype(x.dtype),
)


def logit_of(xp: Any, x: Any, eps: Any) -> Any:
    """log(x / (1 - x)), of x held within [eps, 1 - eps] when there is an eps."""
    x = x if eps is None else xp.where(x < eps, eps, xp.where(x > 1 - eps, 1 - eps, x)).astype(x.dtype)
    return xp.log(x / (1 - x))


TABLE.pointwise(
    2,
    "logit(Tensor self, float? eps=None) -> Tensor",
    kernels=["logit"],
    reference=logit_of,
    check="bound",
    promotion="float",
    dtypes=FLOATING,
    n_promote=1,
)
unary(
    "erf(Tensor self) -> Tensor",
    kernels=["erf"],
    reference=erf,
    promotion="float",
    dtypes=FLOATING,
    texts={"label": "erf_vml_cpu"},
)
unary(
    "erfc(Tensor self) -> Tensor",
    kernels=["erfc"],
    reference=erfc,
    promotion="float",
    dtypes=FLOATING,
    texts={"label": "erfc_vml_cpu"},
)
unary(
    "erfinv(Tensor self) -> Tensor",
    kernels=["erfinv"],
    reference=erfinv,
    promotion="float",
    dtypes=FLOATING,
    texts={"label": "erfinv_vml_cpu"},
)


def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = TABLE.ops["mul"](TABLE.ops["erfc"](TABLE.ops["mul"](input, -math.sqrt(0.5))), 0.5)
    return result if out is None else into("special_ndtr", result, out)


TABLE.composite(ndtr, namespace="special")
