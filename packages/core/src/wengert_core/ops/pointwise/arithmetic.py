"""Arithmetic: sums, products, quotients, powers, extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import BOOL, FLOATING, FLOATING_COMPLEX, INTEGRAL, NUMERIC, REAL
from wengert_core.tensors.tensor import Tensor

unary, binary = TABLE.pointwise_unary, TABLE.pointwise_binary
COUNTABLE = INTEGRAL + FLOATING  # what can be rounded or divided with a remainder
FLOATS_ON = 2  # a kernel for the floating and complex categories only

NEGATED_BOOL = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)
TWO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)

ALONE = {"takes_numbers": True}
"""Of the rows that take two numbers and no tensor, as their functions do in torch."""

# ---- sums and products
add = binary(
    "add(Any self, Any other, *, Scalar alpha=1) -> Tensor",
    kernels=[np.add],
    alpha="alpha",
    texts=ALONE,
)
sub = binary(
    "sub(Any self, Any other, *, Scalar alpha=1) -> Tensor",
    kernels=[np.subtract],
    alpha="alpha",
    texts=ALONE,
    operator=True,
    dtypes=NUMERIC,
    check="no_bool",
    refusal={"bool": TWO_BOOLS},
)
mul = binary("mul(Any self, Any other) -> Tensor", kernels=[np.multiply], texts=ALONE)
neg = unary(
    "neg(Tensor self) -> Tensor", kernels=[np.negative], dtypes=NUMERIC, refusal={"bool": NEGATED_BOOL}
)
positive = unary(
    "positive(Tensor self) -> Tensor",
    reference=lambda xp, x: x,
    dtypes=NUMERIC,
    identity="always",
    inplace=False,
    refusal={"bool": "The `+` operator, on a bool tensor is not supported."},
)


reversed_op = binary(
    "_rsub(Any other, Any self, *, Scalar alpha=1) -> Tensor",
    kernels=[np.subtract],
    alpha="alpha",
    dtypes=NUMERIC,
    check="no_bool",
    refusal={"bool": TWO_BOOLS},
    method=False,
    inplace=False,
    doc="other - alpha * self.",
)


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    return reversed_op(other, input, alpha=alpha)


TABLE.composite(rsub)


# ---- quotients
def divide_down(xp: Any, x: Any, y: Any) -> Any:
    """The quotient rounded down."""
    return xp.floor_divide(x, y)


def divide_to_zero(xp: Any, x: Any, y: Any) -> Any:
    """The quotient rounded to zero: exact for integers."""
    if x.dtype.kind in "iu":
        quotient = xp.floor_divide(x, y)
        return quotient + ((quotient < 0) & (quotient * y != x))
    return xp.trunc(xp.divide(x, y))


ROUNDED: dict[str, Any] = {"promotion": "same", "dtypes": COUNTABLE, "check": "divisor"}
div = binary(
    "div(Any self, Any other, *, str? rounding_mode=None) -> Tensor",
    kernels=[np.divide],
    promotion="float",
    operator=True,
    dtypes=FLOATING_COMPLEX,
    variant="rounding_mode",
    variants={
        "floor": {"kernels": ["floor_divide", np.floor_divide], "reference": divide_down, **ROUNDED},
        "trunc": {"kernels": ["div_trunc"], "reference": divide_to_zero, "narrow": "quotient", **ROUNDED},
    },
    texts={
        "variant_error": "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
        **ALONE,
    },
)
floor_divide = binary(
    "floor_divide(Any self, Any other) -> Tensor",
    kernels=["floor_divide", np.floor_divide],
    dtypes=COUNTABLE,
    check="divisor",
    texts={"label": "div_floor_cpu", **ALONE},
    narrow="first",
)
remainder = binary(
    "remainder(Any self, Any other) -> Tensor",
    kernels=["remainder", np.remainder],
    dtypes=COUNTABLE,
    check="divisor",
    narrow="numbers",
)
fmod = binary(
    "fmod(Tensor self, Any other) -> Tensor",
    kernels=["fmod", np.fmod],
    dtypes=COUNTABLE,
    check="divisor",
    narrow="numbers",
)
reciprocal = unary(
    "reciprocal(Tensor self) -> Tensor",
    kernels=["reciprocal", np.reciprocal],
    promotion="float",
    dtypes=FLOATING_COMPLEX,
)


# ---- powers
def power(xp: Any, x: Any, y: Any) -> Any:
    """x ** y; of integers with a negative exponent what is left of 1 / x ** -y: 1, -1 or 0."""
    if x.dtype.kind == "b":  # by a number, which is True or False
        return xp.logical_or(x, xp.logical_not(y))
    if x.dtype.kind not in "iu":
        return xp.power(x, y)
    inverse = xp.where((x == 1) | ((x == -1) & (y % 2 == 0)), 1, xp.where((x == -1), -1, 0)).astype(x.dtype)
    return xp.where(y < 0, inverse, xp.power(x, xp.where(y < 0, 0, y)))


pow_ = binary(
    "pow(Any self, Any exponent) -> Tensor",
    kernels=["pow", (np.power, FLOATS_ON)],
    reference=power,
    dtypes=(*BOOL, *NUMERIC),
    check="exponent",
    narrow="first",
    texts={"label": "pow"},
    variant="exponent",
    variants={
        2: {"n_in": 1, "kernels": ["square", np.square], "reference": lambda xp, x: x * x},
        3: {"n_in": 1, "kernels": ["cube"], "reference": lambda xp, x: x * x * x},
        0.5: {"n_in": 1, "kernels": [(np.sqrt, FLOATS_ON)], "reference": lambda xp, x: xp.sqrt(x)},
        -1: {
            "n_in": 1,
            "kernels": ["reciprocal", (np.reciprocal, FLOATS_ON)],
            "reference": lambda xp, x: xp.reciprocal(x),
        },
    },
)
sqrt = unary(
    "sqrt(Tensor self) -> Tensor", kernels=[np.sqrt], promotion="float", dtypes=FLOATING_COMPLEX
)
rsqrt = unary(
    "rsqrt(Tensor self) -> Tensor",
    kernels=["rsqrt"],
    reference=lambda xp, x: 1 / xp.sqrt(x),
    promotion="float",
    dtypes=FLOATING_COMPLEX,
)


def square(input: Tensor, *, out: Any = None) -> Any:
    return pow_(input, 2, out=out) if out is not None else pow_(input, 2)


def square_(input: Tensor) -> Any:
    """In-place version of square."""
    return TABLE.ops["pow_"](input, 2)


TABLE.composite(square, method=True)
TABLE.composite(square_, method=True)

# ---- signs and sizes
abs_ = unary(
    "abs(Tensor self) -> Tensor", kernels=[np.absolute], promotion="real", dtypes=NUMERIC
)


def sign_of(xp: Any, x: Any) -> Any:
    """-1, 0 or 1; 0 for NaN."""
    return x if x.dtype.kind == "b" else (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


NO_COMPLEX_SIGN = "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
sign = unary(
    "sign(Tensor self) -> Tensor",
    kernels=["sign"],
    dtypes=REAL,
    reference=sign_of,
    refusal={"complex": NotImplementedError(NO_COMPLEX_SIGN)},
)


def direction(xp: Any, x: Any) -> Any:
    """x / |x|, and 0 for 0."""
    if x.dtype.kind != "c":
        return sign_of(xp, x)
    size = xp.abs(x)
    return xp.where(size == 0, 0, x / xp.where(size == 0, 1, size)).astype(x.dtype)


sgn = unary(
    "sgn(Tensor self) -> Tensor",
    kernels=["sgn", "sign"],
    reference=direction,
)
copysign = binary(
    "copysign(Tensor self, Any other) -> Tensor",
    kernels=[np.copysign],
    promotion="float",
    dtypes=FLOATING,
)
hypot = binary(
    "hypot(Tensor self, Tensor other) -> Tensor",
    kernels=[np.hypot],
    dtypes=FLOATING,
)


def next_of_16_bits(dtype: str, xp: Any, x: Any, y: Any) -> Any:
    """The next number of float16 or bfloat16, from x towards y, of numbers in float32, which holds all of them."""
    digits, least, largest = (10, -14, 65504.0) if dtype == "float16" else (7, -126, 2.0**128 - 2.0**120)
    fraction, exponent = xp.frexp(xp.abs(x))
    exponent = xp.where(xp.isinf(x), 0, exponent) - 1
    way = xp.where(y > x, 1, xp.where(y < x, -1, 0))
    # towards 0 from a power of two the steps are those of the numbers below it
    exponent = exponent - ((fraction == 0.5) & (way * x < 0) & (exponent > least))
    found = x + way * xp.ldexp(xp.ones_like(x), xp.maximum(xp.where(x == 0, least, exponent), least) - digits)
    found = xp.where(found == 0, xp.copysign(found, x), found)
    found = xp.where(xp.isinf(x) & (way != 0), xp.copysign(xp.full_like(x, largest), x), found)
    return xp.where((x == y) | xp.isnan(y), y, found)


nextafter = binary(
    "nextafter(Tensor self, Tensor other) -> Tensor",
    kernels=[(np.nextafter, FLOATS_ON, FLOATS_ON, 4)],
    reference=lambda xp, x, y: xp.nextafter(x, y),
    dtypes=FLOATING,
    texts={"of_dtype": next_of_16_bits},
)
heaviside = binary(
    "heaviside(Tensor self, Tensor values) -> Tensor",
    promotion="strict",
    dtypes=REAL,
    kernels=["heaviside"],
    reference=lambda xp, x, v: xp.where(x == 0, v, x > 0).astype(x.dtype),
    texts={
        "strict_error": "heaviside is not yet implemented for tensors with different dtypes. Got {expected} and {got}"
    },
    refusal={"complex": "heaviside is not yet implemented for complex tensors."},
)

# ---- the larger and the smaller
for name, ufunc in (
    ("maximum", np.maximum),
    ("minimum", np.minimum),
    ("fmax", np.fmax),
    ("fmin", np.fmin),
):
    binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        kernels=[name, ufunc],
        dtypes=REAL,
        inplace=False,
        refusal={"complex": f"{name} not implemented for complex tensors."},
    )

# ---- other names
def python2_divide(self: Any, other: Any) -> Any:
    """other / self, as Python 2 called it."""
    return TABLE.operators["div"](other, self)


TABLE.methods["__rdiv__"] = python2_divide
for name, target in {
    "multiply": "mul",
    "subtract": "sub",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "absolute": "abs",
}.items():
    TABLE.alias(name, TABLE.ops[target])
    TABLE.methods[f"{name}_"] = TABLE.ops[f"{target}_"]
    if name == "negative":
        TABLE.alias(f"{name}_", TABLE.ops[f"{target}_"], method=False)
