"""Ufuncs of single elements that are composed of several operations, or that are an op for some dtypes only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.operands import numpy_dtype


def absolute(x: Tensor) -> Tensor:
    """The absolute value; of complex numbers the modulus."""
    return x.clone() if x.dtype is wg.bool else wg.abs(x)


def conjugate(x: Tensor) -> Tensor:
    """The complex conjugate."""
    return wg.conj_physical(x) if x.dtype.is_complex else x.clone()


def cbrt(x: Tensor) -> Tensor:
    """The cube root, negative for negative numbers; its derivative at zero is infinite."""
    root = wg.where(x < 0, -x, x) ** (1 / 3)
    return wg.where(x < 0, -root, root)


def fabs(x: Tensor) -> Tensor:
    """The absolute value of a real number."""
    return wg.abs(x)


def sign(x: Tensor) -> Tensor:
    """The sign, -1, 0 or 1; of a complex number z / abs(z), NaN of NaN."""
    if x.dtype.is_complex:
        return wg.sgn(x)
    return wg.where(wg.isnan(x), x, wg.sign(x)) if x.dtype.is_floating_point else wg.sign(x)


def heaviside(x: Tensor, at_zero: Tensor) -> Tensor:
    """The step from 0 to 1, with a value for zero; NaN of NaN. Its derivative by x is zero."""
    return wg.where(x == 0, at_zero, (sign(x) + 1) / 2)


def floor_divide(x: Tensor, y: Tensor) -> Tensor:
    """The quotient rounded down, whose derivative is zero."""
    if x.dtype.is_floating_point:
        return wg.div(x, y, rounding_mode="floor")
    zero = y == 0  # NumPy's integer division by zero gives zero
    return wg.where(zero, 0, wg.div(x, wg.where(zero, 1, y), rounding_mode="floor"))


def remainder(x: Tensor, y: Tensor) -> Tensor:
    """The remainder with the sign of the divisor, also of zeros; of integers by zero, zero."""
    if x.dtype.is_floating_point:
        rest = wg.remainder(x, y)
        if x.dtype is not wg.float64:  # zeros have the sign of the dividend, as in PyTorch
            rest.detach().copysign_(y.detach())
        return rest
    zero = y == 0
    return wg.where(zero, 0, wg.remainder(x, wg.where(zero, 1, y)))


def fmod(x: Tensor, y: Tensor) -> Tensor:
    """The remainder with the sign of the dividend; of integers by zero, zero."""
    if x.dtype.is_floating_point:
        return wg.fmod(x, y)
    zero = y == 0
    return wg.where(zero, 0, wg.fmod(x, wg.where(zero, 1, y)))


def divmod_(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The floor quotient and the remainder."""
    return floor_divide(x, y), remainder(x, y)


def modf(x: Tensor) -> tuple[Tensor, Tensor]:
    """The fractional and the integral part."""
    whole = wg.trunc(x)
    return wg.where(wg.isinf(x), wg.copysign(wg.zeros_like(x), x), x - whole), whole


def frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """The mantissa and the exponent of two."""
    mantissa, exponent = wg.frexp(x)
    return mantissa, exponent


LARGEST_EXPONENT = {wg.float16: 45, wg.float64: 2200}  # of the other dtypes 300
"""Exponents beyond which every product is zero or infinite, from the smallest subnormal number to the largest one."""


def ldexp(x: Tensor, exponent: Tensor) -> Tensor:
    """x * 2 ** exponent, in three steps: the power alone may overflow where the product does not."""
    bound = LARGEST_EXPONENT.get(x.dtype, 300)
    exponent = wg.clamp(exponent.to(wg.int64), -bound, bound)
    first = wg.div(exponent, 3, rounding_mode="floor")
    second = wg.div(exponent - first, 2, rounding_mode="floor")
    for step in (first, second, exponent - first - second):
        x = x * wg.exp2(step.to(x.dtype))
    return x


def power(x: Tensor, y: Tensor) -> Tensor:
    """x ** y. ValueError for integers to negative integer powers, as NumPy raises it."""
    if not (x.dtype.is_floating_point or x.dtype.is_complex) and y.dtype.is_signed and bool((y < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    return wg.pow(x, y)


def bitwise_count(x: Tensor) -> Tensor:
    """The number of one bits in the absolute value of an integer."""
    rest, count = wg.abs(x) if x.dtype.is_signed else x, wg.zeros_like(x)
    for _ in range(x.dtype.itemsize * 8):
        count = count + (rest & 1)
        rest = rest >> 1
    return count


def shift(op: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shift of bits by amounts that may be as large as the integer, as in NumPy."""

    def run(x: Tensor, amount: Tensor) -> Tensor:
        bits = x.dtype.itemsize * 8
        too_far = (amount >= bits) | (amount < 0)
        filled = wg.where(x < 0, -1, 0) if op is wg.bitwise_right_shift and x.dtype.is_signed else 0
        return wg.where(too_far, filled, op(x, wg.where(too_far, 0, amount)))

    return run


def reciprocal(x: Tensor) -> Tensor:
    """1 / x; of integers the integer part, for zero what NumPy's division on this machine gives."""
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return wg.reciprocal(x)
    with np.errstate(all="ignore"):
        of_zero = int(np.reciprocal(np.zeros((), numpy_dtype(x))))
    return wg.where(x == 0, of_zero, wg.div(wg.ones_like(x), wg.where(x == 0, 1, x), rounding_mode="trunc"))


def rounding(op: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A function that rounds: booleans stay as they are, parts of complex numbers are rounded one by one."""

    def run(x: Tensor) -> Tensor:
        if x.dtype is wg.bool:
            return x.clone()
        return wg.complex(op(x.real), op(x.imag)) if x.dtype.is_complex else op(x)

    return run


# ---- the order of complex numbers, by real part first


def complex_less(x: Tensor, y: Tensor) -> Tensor:
    """Whether x is less than y; False where either holds NaN."""
    whole = ~wg.isnan(x.imag) & ~wg.isnan(y.imag)
    return ((x.real < y.real) & whole) | ((x.real == y.real) & (x.imag < y.imag))


def complex_less_equal(x: Tensor, y: Tensor) -> Tensor:
    """Whether x is less than y or equal to it; False where either holds NaN."""
    return complex_less(x, y) | (x == y)


def comparison(op: Callable[..., Tensor], complex_op: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """An op of real numbers, together with the function of complex ones."""

    def run(x: Tensor, y: Tensor) -> Tensor:
        return complex_op(x, y) if x.dtype.is_complex else op(x, y)

    return run


def complex_choice(is_first: Callable[..., Tensor], keeps_nan: bool) -> Callable[..., Tensor]:
    """The greater or the smaller of two complex numbers.

    keeps_nan: whether NaN is the result where either is NaN, as in maximum, or only where both are, as in fmax.
    """

    def run(x: Tensor, y: Tensor) -> Tensor:
        first = is_first(x, y) | wg.isnan(x if keeps_nan else y)
        return wg.where(first, x, y)

    return run


def complex_greater_equal(x: Tensor, y: Tensor) -> Tensor:
    """Whether x is greater than y or equal to it; False where either holds NaN."""
    return complex_less_equal(y, x)


COMPOSED: dict[str, Callable[..., Tensor | tuple[Tensor, ...]]] = {
    "absolute": absolute, "conjugate": conjugate, "cbrt": cbrt, "fabs": fabs, "sign": sign, "power": power,
    "floor_divide": floor_divide, "remainder": remainder, "fmod": fmod, "divmod": divmod_, "modf": modf,
    "ceil": rounding(wg.ceil), "floor": rounding(wg.floor), "trunc": rounding(wg.trunc), "rint": rounding(wg.round),
    "frexp": frexp, "ldexp": ldexp, "bitwise_count": bitwise_count, "reciprocal": reciprocal,
    "heaviside": heaviside, "float_power": wg.pow,
    "left_shift": shift(wg.bitwise_left_shift), "right_shift": shift(wg.bitwise_right_shift),
    "less": comparison(wg.lt, complex_less), "less_equal": comparison(wg.le, complex_less_equal),
    "greater": comparison(wg.gt, lambda x, y: complex_less(y, x)),
    "greater_equal": comparison(wg.ge, complex_greater_equal),
    "maximum": comparison(wg.maximum, complex_choice(complex_greater_equal, True)),
    "minimum": comparison(wg.minimum, complex_choice(complex_less_equal, True)),
    "fmax": comparison(wg.fmax, complex_choice(complex_greater_equal, False)),
    "fmin": comparison(wg.fmin, complex_choice(complex_less_equal, False)),
}
"""The composed ufuncs, by their names."""
