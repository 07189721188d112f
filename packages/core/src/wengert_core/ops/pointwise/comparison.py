"""Comparisons, tests of single elements, logic: the results are bool."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from wengert_core.drivers.out_argument import into
from wengert_core.drivers.pointwise.pointwise_checks import is_batched
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import EVERY, FLOATING, REAL

unary, binary = TABLE.pointwise_unary, TABLE.pointwise_binary

for name, ufunc, taken, other_name in (
    ("eq", np.equal, EVERY, None),
    ("ne", np.not_equal, EVERY, "not_equal"),
    ("lt", np.less, REAL, "less"),
    ("le", np.less_equal, REAL, "less_equal"),
    ("gt", np.greater, REAL, "greater"),
    ("ge", np.greater_equal, REAL, "greater_equal"),
):
    binary(
        f"{name}(Tensor self, Any other) -> Tensor",
        kernels=[name, ufunc],
        promotion="compare",
        dtypes=taken,
    )
    if other_name is not None:
        TABLE.alias(other_name, TABLE.ops[name])
        TABLE.methods[f"{other_name}_"] = TABLE.ops[f"{name}_"]


def test(name: str, function: Any, taken: Any = EVERY) -> None:
    """A row for a question about each element."""
    unary(
        f"{name}(Tensor self) -> Tensor",
        kernels=[function] if isinstance(function, np.ufunc) else [name],
        dtypes=taken,
        reference=None if isinstance(function, np.ufunc) else function,
        promotion="compare",
        inplace=False,
        refusal={
            "complex": NotImplementedError("signbit is not implemented for complex tensors.")
            if name == "signbit"
            else f"{name} does not support complex inputs."
        },
    )


def is_infinite(xp: Any, x: Any, sign: int) -> Any:
    """Whether x is infinite with that sign."""
    return xp.zeros(x.shape, bool) if x.dtype.kind in "biu" else x == sign * xp.inf


test("isnan", np.isnan)
test("isinf", np.isinf)
test("isfinite", np.isfinite)
test("isposinf", lambda xp, x: is_infinite(xp, x, 1), REAL)
test("isneginf", lambda xp, x: is_infinite(xp, x, -1), REAL)
test(
    "signbit",
    lambda xp, x: x < 0 if x.dtype.kind in "biu" else xp.signbit(x),
    REAL,
)

for name, logic in (
    ("logical_and", np.logical_and),
    ("logical_or", np.logical_or),
    ("logical_xor", np.logical_xor),
):
    binary(f"{name}(Tensor self, Tensor other) -> Tensor", kernels=[logic], promotion="logical")
unary(
    "logical_not(Tensor self) -> Tensor",
    kernels=[np.logical_not],
    promotion="logical",
)


# ---- replacing what the tests find
LIMITS = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "float64": sys.float_info.max,
}


finite_op = TABLE.pointwise(
    4,
    "_nan_to_num(Tensor self, Scalar nan, Scalar posinf, Scalar neginf) -> Tensor",
    kernels=["nan_to_num"],
    reference=lambda xp, x, nan, posinf, neginf: xp.where(
        x == math.inf, posinf, xp.where(x == -math.inf, neginf, xp.where(x == x, x, nan))
    ).astype(x.dtype),
    n_promote=1,
    dtypes=FLOATING,
    method=False,
    doc="self with NaN and the infinities replaced.",
)


def nan_to_num(
    input: Any,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Any = None,
) -> Any:
    if input.dtype.category == 3:
        parts = nan_to_num(TABLE.ops["view_as_real"](input), nan, posinf, neginf)
        result = TABLE.ops["view_as_complex"](parts)
        return result if out is None else into("nan_to_num", result, out)
    if input.dtype.category < 2:
        return input.clone() if out is None else into("nan_to_num", input, out)
    result = finite_op(input, *replacements(input, nan, posinf, neginf))
    return result if out is None else into("nan_to_num", result, out)


def replacements(x: Any, nan: float | None, posinf: float | None, neginf: float | None) -> tuple[float, float, float]:
    """What replaces NaN and the infinities in a tensor of a floating dtype."""
    limit = LIMITS[x.dtype.name]
    return 0.0 if nan is None else nan, limit if posinf is None else posinf, -limit if neginf is None else neginf


def nan_to_num_(self: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """In-place version of nan_to_num."""
    if self.dtype.category == 2:
        return TABLE.ops["_nan_to_num_"](self, *replacements(self, nan, posinf, neginf))
    return self.copy_(nan_to_num(self.clone(), nan, posinf, neginf))


TABLE.composite(nan_to_num, method=True)
TABLE.composite(nan_to_num_, method=True)


# ---- whole tensors
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    if input.dtype != other.dtype:
        names = [{"float32": "Float", "float64": "Double"}.get(t.dtype.name, t.dtype.name) for t in (input, other)]
        raise RuntimeError(
            f"{names[0]} did not match {names[1]}: isclose compares tensors of one dtype"
        )
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    ops = TABLE.ops
    same = ops["eq"](input, other)
    if equal_nan:
        same = ops["logical_or"](same, ops["logical_and"](ops["isnan"](input), ops["isnan"](other)))
    if input.dtype.category == 0 or (rtol == 0 and atol == 0):
        return same
    allowed = ops["add"](ops["abs"](ops["mul"](other, rtol)), atol)
    distance = ops["abs"](ops["sub"](input, other))
    close = ops["logical_and"](ops["le"](distance, allowed), ops["isfinite"](distance))
    return ops["logical_or"](same, close)


def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    if is_batched(input, other):
        raise RuntimeError(
            "vmap over torch.allclose isn't supported yet: it would be a bool for each sample. Use isclose(...).all()"
        )
    return bool(TABLE.ops["all"](isclose(input, other, rtol, atol, equal_nan)))


def equal(input: Any, other: Any) -> bool:
    if is_batched(input, other):
        raise RuntimeError(
            "Batching rule not implemented for aten::equal. We could not generate a fallback: it would be a bool for "
            "each sample. Use (input == other).all()"
        )
    return input.shape == other.shape and bool(TABLE.ops["all"](TABLE.ops["eq"](input, other)))


for function in (isclose, allclose, equal):
    TABLE.composite(function, method=True)
