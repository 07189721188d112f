"""Functions of three tensors: clamp, lerp, addcmul, addcdiv, where."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import EVERY, FLOATING_COMPLEX, NUMERIC, REAL

pointwise, binary, ternary = TABLE.pointwise, TABLE.pointwise_binary, TABLE.pointwise_ternary

# ---- bounds


def clamp_reference(xp: Any, x: Any, low: Any, high: Any) -> Any:
    """x between low and high, either of which may be None; high where low > high."""
    x = x if low is None else xp.maximum(x, low)
    return x if high is None else xp.minimum(x, high)


NO_COMPLEX_CLAMP = {"complex": NotImplementedError("clamp is not supported for complex types")}
CLIP: Any = getattr(getattr(getattr(np, "_core", None), "umath", None), "clip", None)  # a ufunc, but not a public one
clamp = ternary(
    "clamp(Tensor self, Any? min=None, Any? max=None) -> Tensor",
    check="bound",
    reference=clamp_reference,
    dtypes=REAL,
    bounds=True,
    kernels=["clamp", *([CLIP] if CLIP is not None else [])],
    refusal=NO_COMPLEX_CLAMP,
)
clamp_min = binary(
    "clamp_min(Tensor self, Any min) -> Tensor",
    check="bound",
    kernels=["maximum", np.maximum],
    dtypes=REAL,
    refusal=NO_COMPLEX_CLAMP,
)
clamp_max = binary(
    "clamp_max(Tensor self, Any max) -> Tensor",
    check="bound",
    kernels=["minimum", np.minimum],
    dtypes=REAL,
    refusal=NO_COMPLEX_CLAMP,
)

# ---- interpolation, and products added


def lerp_reference(xp: Any, x: Any, end: Any, weight: Any) -> Any:
    """From the nearer end, so that weight 1 gives exactly ``end``."""
    return xp.where(xp.abs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (1 - weight))


lerp = ternary(
    "lerp(Tensor self, Tensor end, Any weight) -> Tensor",
    kernels=["lerp"],
    reference=lerp_reference,
    dtypes=FLOATING_COMPLEX,
    promotion="strict",
    check="factor",
    n_promote=2,
    texts={"strict_error": "expected dtype {expected} for `{name}` but got dtype {got}", "label": "lerp_kernel_scalar"},
)
addcmul = pointwise(
    4,
    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    kernels=["addcmul"],
    n_promote=3,
    reference=lambda xp, x, a, b, value: x + value * a * b,
    dtypes=NUMERIC,
    check="factor",
    texts={"label": "addcmul_cpu_out"},
)
addcdiv = pointwise(
    4,
    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    kernels=["addcdiv"],
    n_promote=3,
    reference=lambda xp, x, a, b, value: x + value * a / b,
    dtypes=FLOATING_COMPLEX,
    check="true_division",
)


def where_indices(condition: Any, self: Any, other: Any) -> Any:
    """``where`` of a condition alone; of a condition and one value it is an error."""
    if self is None and other is None:
        return TABLE.ops["nonzero"](condition, as_tuple=True)
    raise TypeError(
        f"where() received an invalid combination of arguments - got (Tensor, {type(self).__name__}, "
        f"{type(other).__name__}): give condition alone, or condition, self and other"
    )


where = ternary(
    "where(Tensor condition, Any? self=None, Any? other=None) -> Tensor",
    kernels=["where"],
    promotion="where",
    reference=lambda xp, mask, x, y: xp.where(mask, x, y),
    dtypes=EVERY,
    check="factor",
    method=False,
    inplace=False,
    texts={"alone": where_indices},
)


def where_method(self: Any, condition: Any, other: Any) -> Any:
    """``where`` as a method: self where condition holds, other elsewhere."""
    return where(condition, self, other)


TABLE.methods["where"] = where_method

TABLE.alias("clip", clamp)
TABLE.methods["clip_"] = TABLE.ops["clamp_"]
TABLE.alias("clip_", TABLE.ops["clamp_"], method=False)
