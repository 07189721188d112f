"""Trigonometric and hyperbolic functions, angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, FLOATING_COMPLEX

unary, binary = TABLE.pointwise_unary, TABLE.pointwise_binary

for name, ufunc in (
    ("sin", np.sin),
    ("cos", np.cos),
    ("tan", np.tan),
    ("asin", np.arcsin),
    ("acos", np.arccos),
    ("atan", np.arctan),
    ("sinh", np.sinh),
    ("cosh", np.cosh),
    ("tanh", np.tanh),
    ("asinh", np.arcsinh),
    ("acosh", np.arccosh),
    ("atanh", np.arctanh),
):
    unary(f"{name}(Tensor self) -> Tensor", kernels=[name, ufunc], promotion="float", dtypes=FLOATING_COMPLEX)
    if ufunc.__name__.startswith("arc"):
        TABLE.alias(ufunc.__name__, TABLE.ops[name])
        TABLE.alias(f"{ufunc.__name__}_", TABLE.ops[f"{name}_"])

binary(
    "atan2(Tensor self, Tensor other) -> Tensor",
    kernels=["atan2", np.arctan2],
    promotion="float",
    dtypes=FLOATING,
)
TABLE.alias("arctan2", TABLE.ops["atan2"])
TABLE.methods["arctan2_"] = TABLE.ops["atan2_"]
for name, conversion in (("deg2rad", np.deg2rad), ("rad2deg", np.rad2deg)):
    unary(
        f"{name}(Tensor self) -> Tensor",
        kernels=[name, conversion],
        promotion="float",
        dtypes=FLOATING,
        refusal={"complex": f"{name} is not supported for complex tensors."},
    )


def sine_over(xp: Any, x: Any) -> Any:
    """sin(pi x) / (pi x), and 1 for 0."""
    angle = xp.pi * xp.where(x == 0, 1, x)
    return xp.where(x == 0, 1, xp.sin(angle) / angle).astype(x.dtype)


unary(
    "sinc(Tensor self) -> Tensor",
    kernels=["sinc"],
    reference=sine_over,
    promotion="float",
    dtypes=FLOATING_COMPLEX,
)
