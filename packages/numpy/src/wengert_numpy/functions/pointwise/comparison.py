"""Tests of values and of dtypes: close, equal, real, complex, infinite."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import NUMBERS, inexact, numpy_dtype, operands, result_dtype, to_tensor, write_out
from wengert_numpy.ufuncs.lexicographic import is_nan


def is_complex(x: Any) -> bool:
    """Return whether an operand has a complex dtype."""
    return to_tensor(x, "iscomplexobj", "x").dtype.is_complex


@implements("iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype is complex."""
    return is_complex(x)


@implements("isrealobj")
def isrealobj(x: Any) -> bool:
    """Return whether the dtype is not complex."""
    return not is_complex(x)


@implements("iscomplex")
def iscomplex(x: Any) -> Any:
    """Return where the imaginary part is not zero."""
    t = to_tensor(x, "iscomplex", "x")
    return t.imag != 0 if t.dtype.is_complex else wg.zeros_like(t, dtype=wg.bool)


@implements("isreal")
def isreal(x: Any) -> Any:
    """Return where the imaginary part is zero."""
    return ~iscomplex(x)


def infinite(name: str, x: Any, out: Any) -> Any:
    """Return where a tensor is infinite with the sign that the function's name says."""
    t = to_tensor(x, name, "x")
    if t.dtype.is_complex or t.dtype is wg.bool:
        raise TypeError(
            f"This operation is not supported for {numpy_dtype(t)} values because it would be ambiguous."
        )
    limit = wg.inf if name == "isposinf" else -wg.inf
    result = t == limit if t.dtype.is_floating_point else wg.zeros_like(t, dtype=wg.bool)
    return write_out(out, result, "logical_and")


@implements("isposinf")
def isposinf(x: Any, out: Any = None) -> Any:
    """Return where a tensor is positive infinity."""
    return infinite("isposinf", x, out)


@implements("isneginf")
def isneginf(x: Any, out: Any = None) -> Any:
    """Return where a tensor is negative infinity."""
    return infinite("isneginf", x, out)


# ---- equality


def inexact_operands(a: Any, b: Any, name: str) -> tuple[Tensor, Tensor]:
    """Return two operands in the dtype in which their difference is computed, which is never that of integers."""
    numbers = (*NUMBERS, np.generic)
    first, second = (x if isinstance(x, numbers) else to_tensor(x, name) for x in (a, b))
    if isinstance(second, numbers):
        second = complex(second) if isinstance(second, (complex, np.complexfloating)) else float(second)
    else:
        second = inexact(second)
    if isinstance(first, numbers) and isinstance(second, numbers):
        first, second = to_tensor(first), to_tensor(second)
    x, y = operands(first, second, name=name)
    return inexact(x), inexact(y)


@implements("isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Return where ``abs(a - b) <= atol + rtol * abs(b)``; infinities are close to themselves."""
    x, y = inexact_operands(a, b, "isclose")
    size = wg.abs(y)
    absolute, relative = (t if isinstance(t, NUMBERS) else to_tensor(t, "isclose", "atol") for t in (atol, rtol))
    result = ((wg.abs(x - y) <= absolute + relative * size) & wg.isfinite(y)) | (x == y)
    return result | (wg.isnan(x) & wg.isnan(y)) if equal_nan else result


@implements("allclose")
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    """Return whether all elements are close."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def two_tensors(a1: Any, a2: Any, name: str) -> tuple[Tensor, Tensor] | None:
    """Return two operands as tensors of one dtype; None where one is nothing that becomes a tensor."""
    try:
        first, second = to_tensor(a1, name), to_tensor(a2, name)
    except (TypeError, ValueError, RuntimeError):
        return None
    dtype = result_dtype(first, second)
    return first.to(dtype), second.to(dtype)


@implements("array_equal")
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two tensors have the same shape and equal elements."""
    both = two_tensors(a1, a2, "array_equal")
    if both is None or both[0].shape != both[1].shape:
        return False
    equal = both[0] == both[1]
    if equal_nan:
        equal = equal | (is_nan(both[0]) & is_nan(both[1]))
    return bool(equal.all())


@implements("array_equiv")
def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two tensors, broadcast to one shape, have equal elements."""
    both = two_tensors(a1, a2, "array_equiv")
    if both is None:
        return False
    try:
        np.broadcast_shapes(tuple(both[0].shape), tuple(both[1].shape))
    except ValueError:
        return False
    return bool((both[0] == both[1]).all())
