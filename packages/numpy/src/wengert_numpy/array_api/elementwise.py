"""Elementwise functions."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Op
from wengert_numpy.array_api.binding import binary, promote_arrays, unary
from wengert_numpy.array_api.creation import as_array
from wengert_numpy.array_api.promotion import is_number, promote_number
from wengert_numpy.ufuncs.composed_ufuncs import floor_divide as floor_quotient
from wengert_numpy.ufuncs.composed_ufuncs import remainder as signed_remainder

# ---- of one array

abs = unary(wg.abs, "abs", "Return the absolute value; of a complex number the modulus.")
acos = unary(wg.acos, "acos", "Return the inverse cosine.")
acosh = unary(wg.acosh, "acosh", "Return the inverse hyperbolic cosine.")
asin = unary(wg.asin, "asin", "Return the inverse sine.")
asinh = unary(wg.asinh, "asinh", "Return the inverse hyperbolic sine.")
atan = unary(wg.atan, "atan", "Return the inverse tangent.")
atanh = unary(wg.atanh, "atanh", "Return the inverse hyperbolic tangent.")
bitwise_invert = unary(wg.bitwise_not, "bitwise_invert", "Return the bits inverted; of a boolean its negation.")
ceil = unary(wg.ceil, "ceil", "Return the smallest whole number that is not less.")
conj = unary(wg.conj, "conj", "Return the complex conjugate.")
cos = unary(wg.cos, "cos", "Return the cosine.")
cosh = unary(wg.cosh, "cosh", "Return the hyperbolic cosine.")
exp = unary(wg.exp, "exp", "Return the exponential.")
expm1 = unary(wg.expm1, "expm1", "Return the exponential less one, accurate near zero.")
floor = unary(wg.floor, "floor", "Return the largest whole number that is not greater.")
isfinite = unary(wg.isfinite, "isfinite", "Return whether a number is neither infinite nor NaN.")
isinf = unary(wg.isinf, "isinf", "Return whether a number is infinite.")
isnan = unary(wg.isnan, "isnan", "Return whether a number is NaN.")
log = unary(wg.log, "log", "Return the natural logarithm.")
log1p = unary(wg.log1p, "log1p", "Return the logarithm of one more, accurate near zero.")
log2 = unary(wg.log2, "log2", "Return the logarithm of base 2.")
log10 = unary(wg.log10, "log10", "Return the logarithm of base 10.")
logical_not = unary(wg.logical_not, "logical_not", "Return whether a value is zero or False.")
negative = unary(wg.neg, "negative", "Return the negative.")
positive = unary(wg.positive, "positive", "Return the number itself.")
reciprocal = unary(wg.reciprocal, "reciprocal", "Return one over a number.")
signbit = unary(wg.signbit, "signbit", "Return whether the sign bit is set: of negative numbers and -0.")
sin = unary(wg.sin, "sin", "Return the sine.")
sinh = unary(wg.sinh, "sinh", "Return the hyperbolic sine.")
sqrt = unary(wg.sqrt, "sqrt", "Return the square root.")
square = unary(wg.square, "square", "Return the square.")
tan = unary(wg.tan, "tan", "Return the tangent.")
tanh = unary(wg.tanh, "tanh", "Return the hyperbolic tangent.")
trunc = unary(wg.trunc, "trunc", "Return the whole number next to it towards zero.")


def real_part(x: Tensor) -> Tensor:
    return wg.real(x) if x.dtype.is_complex else x


def imaginary_part(x: Tensor) -> Tensor:
    return wg.imag(x) if x.dtype.is_complex else wg.zeros_like(x)


def nearest(x: Tensor) -> Tensor:
    return wg.complex(wg.round(wg.real(x)), wg.round(wg.imag(x))) if x.dtype.is_complex else wg.round(x)


def sign_of(x: Tensor) -> Tensor:
    if x.dtype.is_complex:
        return wg.sgn(x)
    return wg.where(wg.isnan(x), x, wg.sign(x)) if x.dtype.is_floating_point else wg.sign(x)


real = unary(real_part, "real", "Return the real part.")
imag = unary(imaginary_part, "imag", "Return the imaginary part.")
round = unary(nearest, "round", "Return the nearest whole number, of two equally near the even one.")
sign = unary(sign_of, "sign", "Return -1, 0 or 1; of a complex number z / abs(z), of NaN NaN.")

# ---- of two arrays


def floating(op: Op) -> Op:
    """Return an operation that takes integers as numbers of the default floating dtype."""

    def function(x1: Tensor, x2: Tensor) -> Tensor:
        if x1.dtype.is_floating_point:
            return op(x1, x2)
        return op(x1.to(wg.get_default_dtype()), x2.to(wg.get_default_dtype()))

    return function


add = binary(wg.add, "add", "Return the sum.", numbers="both")
atan2 = binary(wg.atan2, "atan2", "Return the angle of the points (x2, x1), between -pi and pi.")
bitwise_and = binary(wg.bitwise_and, "bitwise_and", "Return the bits that are set in both.", numbers="both")
bitwise_left_shift = binary(
    wg.bitwise_left_shift, "bitwise_left_shift", "Return the bits moved left by x2 places.", numbers="both"
)
bitwise_or = binary(wg.bitwise_or, "bitwise_or", "Return the bits that are set in either.", numbers="both")
bitwise_right_shift = binary(
    wg.bitwise_right_shift,
    "bitwise_right_shift",
    "Return the bits moved right by x2 places, with the sign.",
    numbers="both",
)
bitwise_xor = binary(wg.bitwise_xor, "bitwise_xor", "Return the bits that are set in one of two.", numbers="both")
copysign = binary(wg.copysign, "copysign", "Return the magnitude of x1 with the sign of x2.", numbers="second")
divide = binary(wg.div, "divide", "Return the quotient.", numbers="both")
equal = binary(wg.eq, "equal", "Return whether x1 == x2.", numbers="second")
floor_divide = binary(floor_quotient, "floor_divide", "Return the quotient rounded down, whose derivative is zero.")
greater = binary(wg.gt, "greater", "Return whether x1 > x2.", numbers="second")
greater_equal = binary(wg.ge, "greater_equal", "Return whether x1 >= x2.", numbers="second")
hypot = binary(floating(wg.hypot), "hypot", "Return the square root of x1 ** 2 + x2 ** 2.")
less = binary(wg.lt, "less", "Return whether x1 < x2.", numbers="second")
less_equal = binary(wg.le, "less_equal", "Return whether x1 <= x2.", numbers="second")
logaddexp = binary(floating(wg.logaddexp), "logaddexp", "Return the logarithm of exp(x1) + exp(x2).")
logical_and = binary(wg.logical_and, "logical_and", "Return whether both are true.")
logical_or = binary(wg.logical_or, "logical_or", "Return whether one of two is true.")
logical_xor = binary(wg.logical_xor, "logical_xor", "Return whether exactly one is true.")
maximum = binary(wg.maximum, "maximum", "Return the greater number; NaN where one is.")
minimum = binary(wg.minimum, "minimum", "Return the lesser number; NaN where one is.")
multiply = binary(wg.mul, "multiply", "Return the product.", numbers="both")
nextafter = binary(wg.nextafter, "nextafter", "Return the number next to x1 in the direction of x2.")
not_equal = binary(wg.ne, "not_equal", "Return whether x1 != x2.", numbers="second")
pow = binary(wg.pow, "pow", "Return x1 ** x2.", numbers="both")
remainder = binary(signed_remainder, "remainder", "Return the remainder of division, with the sign of x2.")
subtract = binary(wg.sub, "subtract", "Return the difference.", numbers="both")


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Return the elements, or the bounds min and max (numbers or arrays) where they lie beyond them."""
    x = as_array(x)
    if min is None and max is None:
        return wg.positive(x)
    if any(bound is not None and not is_number(bound) for bound in (min, max)):
        return clip_between_arrays(x, min, max)
    for bound in (min, max):
        if bound is not None:
            x = x.to(promote_number(x.dtype, bound))
    return wg.clamp(x, min, max)


def clip_between_arrays(x: Tensor, low: Any, high: Any) -> Tensor:
    """Return the elements between bounds of which one at least is an array."""
    bounds = [bound for bound in (low, high) if bound is not None]
    x, *bounds = promote_arrays(x, *bounds)
    lower = None if low is None else bounds[0]
    return wg.clamp(x, lower, None if high is None else bounds[-1])
