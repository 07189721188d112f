"""Functions of single elements that are no ufuncs: rounding, clipping, parts of complex numbers, special functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import NUMBERS, inexact, numpy_dtype, to_tensor, write_result
from wengert_numpy.ufuncs.general import call
from wengert_numpy.ufuncs.rows import ROWS, Row

NO_VALUE = np._NoValue

# ---- parts of complex numbers


@implements("real")
def real(val: Any) -> Any:
    """Return the real part, a view; the tensor itself where it is real."""
    t = to_tensor(val, "real", "val")
    return t.real if t.dtype.is_complex else t


@implements("imag")
def imag(val: Any) -> Any:
    """Return the imaginary part, a view; zeros for real tensors."""
    t = to_tensor(val, "imag", "val")
    return t.imag if t.dtype.is_complex else wg.zeros_like(t)


@implements("angle")
def angle(z: Any, deg: Any = False) -> Any:
    """Return the angle in the complex plane, in radians or degrees."""
    t = inexact(to_tensor(z, "angle", "z"))
    result = wg.angle(t)
    if not t.dtype.is_complex:  # the angle of -0.0 is that of negative numbers
        result = wg.where(wg.signbit(t) & ~wg.isnan(t), math.pi, result)
    return result * (180 / math.pi) if deg else result


@implements("real_if_close")
def real_if_close(a: Any, tol: Any = 100) -> Any:
    """Return the real part where all imaginary parts are close to zero, the tensor itself otherwise.

    tol: an absolute tolerance; above 1, in units of the dtype's machine epsilon.
    """
    t = to_tensor(a, "real_if_close")
    if not t.dtype.is_complex:
        return t
    limit = wg.finfo(t.dtype).eps * tol if tol > 1 else tol
    return t.real if bool((wg.abs(t.imag) < limit).all()) else t


# ---- rounding and clipping


@implements("round", "around")
def round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """Return numbers rounded to decimals, halves to the even neighbor; the derivative is zero."""
    t = to_tensor(a, "round")
    if t.dtype.is_complex:
        result = wg.complex(wg.round(t.real, decimals=decimals), wg.round(t.imag, decimals=decimals))
    elif t.dtype.is_floating_point:
        result = wg.round(t, decimals=decimals)
    elif t.dtype is wg.bool:
        result = t.to(wg.float16)
    elif decimals >= 0:
        result = t.clone()
    else:
        result = (wg.round(t.to(wg.float64) / 10**-decimals) * 10**-decimals).to(t.dtype)
    return write_result(out, result, "round")


@implements("fix")
def fix(x: Any, out: Any = None) -> Any:
    """Return numbers rounded towards zero; the derivative is zero."""
    return call(ROWS[np.trunc], np.trunc, (to_tensor(x, "fix", "x"),), out=out)


def clip_bounds(a_min: Any, a_max: Any, min: Any, max: Any) -> tuple[Any, Any]:
    """Return the bounds of clip, for which there are two names each."""
    if a_min is NO_VALUE and a_max is NO_VALUE:
        return (None if min is NO_VALUE else min), (None if max is NO_VALUE else max)
    for name, bound in (("a_min", a_min), ("a_max", a_max)):
        if bound is NO_VALUE:
            raise TypeError(f"clip() missing 1 required positional argument: '{name}'")
    if min is not NO_VALUE or max is not NO_VALUE:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden."
        )
    return a_min, a_max


@implements("clip")
def clip(
    a: Any, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, out: Any = None, *, min: Any = NO_VALUE,
    max: Any = NO_VALUE, **kwargs: Any,
) -> Any:
    """Return numbers limited to a range; the derivative at its ends is that inside.

    kwargs: where, dtype, casting and the others that ufuncs have.
    """
    t = to_tensor(a, "clip")
    simple = out is None and not kwargs and min is NO_VALUE and max is NO_VALUE and t.dtype.is_floating_point
    if simple and type(a_min) in (float, int) and type(a_max) in (float, int):
        return wg.clamp(t, a_min, a_max)
    low, high = clip_bounds(a_min, a_max, min, max)
    if low is None and high is None:
        return call(ROWS[np.positive], np.positive, (t,), out=out, **kwargs)
    low, high = (to_bound(bound, t, end) for bound, end in ((low, "min"), (high, "max")))
    ufunc, bounds = clip_ufunc(low, high)
    return call(Row(clip_run(low is not None, high is not None)), ufunc, (t, *bounds), out=out, **kwargs)


def to_bound(bound: Any, t: Tensor, end: str) -> Any:
    """Return a bound; None for none, also for a number of Python that an integer dtype cannot reach."""
    if bound is None or isinstance(bound, (Tensor, *NUMBERS, np.generic)):
        kind = numpy_dtype(t)
        if type(bound) is int and kind.kind in "iu":
            limit = np.iinfo(kind)
            if not limit.min <= bound <= limit.max:
                outside = bound < limit.min if end == "min" else bound > limit.max
                return (limit.min if end == "min" else limit.max) if outside else np.array(bound, kind)
        return bound
    return to_tensor(bound, "clip", f"a_{end}")


def clip_ufunc(low: Any, high: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the ufunc whose dtypes a clip with one or two bounds has, and its other inputs."""
    if low is None:
        return np.minimum, (high,)
    if high is None:
        return np.maximum, (low,)
    return np._core.umath.clip, (low, high)  # type: ignore[attr-defined]


def clip_run(has_low: bool, has_high: bool) -> Callable[..., Tensor]:
    """Return what runs for a clip with a lower, an upper bound or both."""

    def run(t: Tensor, *bounds: Tensor) -> Tensor:
        low = bounds[0] if has_low else None
        high = bounds[-1] if has_high else None
        if t.dtype is wg.bool:
            t = t if low is None else t | low
            return t if high is None else t & high
        shape = np.broadcast_shapes(tuple(t.shape), *(tuple(bound.shape) for bound in bounds))
        return wg.clamp(t.expand(shape), low, high)

    return run


# ---- special functions


@implements("i0")
def i0(x: Any) -> Any:
    """Return the modified Bessel function of the first kind, order 0."""
    t = inexact(to_tensor(x, "i0", "x"))
    if t.dtype.is_complex:
        raise TypeError("i0 not supported for complex values")
    return wg.i0(t)


@implements("sinc")
def sinc(x: Any) -> Any:
    """Return sin(pi x) / (pi x), 1 at 0."""
    return wg.sinc(inexact(to_tensor(x, "sinc", "x")))


@implements("nan_to_num")
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Return a tensor with finite numbers in place of NaN and infinities.

    copy: whether the result is a new tensor; if not, the tensor is written to, which is recorded.
    """
    t = to_tensor(x, "nan_to_num", "x")
    if t.dtype.is_complex:
        parts = (finite_numbers(part, nan, posinf, neginf) for part in (t.real, t.imag))
        result = wg.complex(*parts)
    elif t.dtype.is_floating_point:
        result = finite_numbers(t, nan, posinf, neginf)
    else:
        result = t.clone() if copy else t
    return result if copy or result is t else t.copy_(result)


def finite_numbers(t: Tensor, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Return a real tensor with numbers, or tensors, in place of NaN and infinities."""
    limits = wg.finfo(t.dtype)
    posinf = limits.max if posinf is None else posinf
    neginf = limits.min if neginf is None else neginf
    t = wg.where(wg.isnan(t), as_operand(nan, t), t)
    t = wg.where(t == wg.inf, as_operand(posinf, t), t)
    return wg.where(t == -wg.inf, as_operand(neginf, t), t)


def as_operand(value: Any, t: Tensor) -> Any:
    """Return a number as it is, anything else as a tensor of another tensor's dtype."""
    return value if isinstance(value, NUMBERS) else to_tensor(value, "nan_to_num", "nan").to(t.dtype)
