"""Type promotion: the standard's table for the dtypes of arrays, in which an array without dims counts as any other.

>>> import wengert as wg
>>> promote(wg.int8, wg.uint8), promote_number(wg.float32, 2j)
(torch.int16, torch.complex64)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor
from wengert_core.extend import dtype as dtype_type

from wengert_numpy.operands import FROM_NUMPY, NUMBERS, TO_NUMPY, to_dtype

PROMOTED: dict[tuple[Any, Any], Any] = {}
"""The dtype that two dtypes promote to, for pairs that have been asked for."""
SIGNED = (wg.int8, wg.int16, wg.int32, wg.int64)
UNSIGNED = tuple(getattr(wg, name) for name in ("uint8", "uint16", "uint32", "uint64") if hasattr(wg, name))
REAL = (wg.float16, wg.bfloat16, wg.float32, wg.float64)
COMPLEX = (wg.complex64, wg.complex128)
KINDS: dict[str, tuple[Any, ...]] = {
    "bool": (wg.bool,),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED + UNSIGNED,
    "real floating": REAL,
    "complex floating": COMPLEX,
    "numeric": SIGNED + UNSIGNED + REAL + COMPLEX,
}
"""The dtypes of each kind that the standard names; float16 and bfloat16 are real floating, too."""
INTEGERS = frozenset(SIGNED + UNSIGNED)
WIDEST_UNSIGNED = UNSIGNED[-1] if UNSIGNED[-1].itemsize == 8 else wg.int64
"""The dtype of sums and products of unsigned integers."""


def promote(first: Any, second: Any) -> Any:
    """Return the dtype that two dtypes promote to.

    Dtypes of different kinds, of which the standard says nothing, promote as wengert's operators do, except for an
    integer of 64 bits without a sign and one with: both become the default floating dtype.
    """
    if first is second:
        return first
    found = PROMOTED.get((first, second))
    if found is None:
        if first in INTEGERS and second in INTEGERS:
            found = FROM_NUMPY[np.promote_types(TO_NUMPY[first], TO_NUMPY[second])]
            if found.is_floating_point:
                return wg.get_default_dtype()  # not entered: it may be another one next time
        else:
            found = wg.promote_types(first, second)
        PROMOTED[first, second] = found
    return found


def promote_number(dtype: Any, number: Any) -> Any:
    """Return the dtype of an array of ``dtype`` together with a Python number, which only brings its kind."""
    if isinstance(number, (bool, np.bool_)) or dtype.is_complex:
        return dtype
    if isinstance(number, (int, np.integer)):
        return wg.int64 if dtype is wg.bool else dtype
    if isinstance(number, (float, np.floating)):
        return dtype if dtype.is_floating_point else wg.get_default_dtype()
    return (dtype if dtype.is_floating_point else wg.get_default_dtype()).to_complex()


def is_number(value: Any) -> bool:
    """Return whether a value is a Python number or a scalar of NumPy, which counts as one."""
    return isinstance(value, (*NUMBERS, np.generic))


def common_dtype(*values: Any) -> Any:
    """Return the dtype of arrays, dtypes and numbers together. ValueError without any of them."""
    dtypes = [dtype_of(value) for value in values if not is_number(value)]
    numbers = [value for value in values if is_number(value)]
    if not dtypes and not numbers:
        raise ValueError("result_type(): expected at least one array, dtype or number")
    dtype = dtypes[0] if dtypes else default_dtype(numbers.pop())
    for other in dtypes[1:]:
        dtype = promote(dtype, other)
    for number in numbers:
        dtype = promote_number(dtype, number)
    return dtype


def dtype_of(value: Any) -> Any:
    """Return the dtype of an array, or a dtype itself (ours, NumPy's or a name)."""
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, np.ndarray):
        return to_dtype(value.dtype, "result_type")
    if isinstance(value, (dtype_type, np.dtype, type, str)):
        return to_dtype(value, "result_type")
    raise TypeError(f"result_type(): expected arrays, dtypes and numbers, got {type(value).__name__}")


def default_dtype(number: Any) -> Any:
    """Return the dtype that a number has as an array of its own."""
    if isinstance(number, (bool, np.bool_)):
        return wg.bool
    if isinstance(number, (int, np.integer)):
        return wg.int64
    default = wg.get_default_dtype()
    return default if isinstance(number, (float, np.floating)) else default.to_complex()


def reduction_dtype(dtype: Any) -> Any:
    """Return the dtype of sums and products of a dtype: integers have 64 bits."""
    if dtype in UNSIGNED:
        return WIDEST_UNSIGNED
    return wg.int64 if dtype in SIGNED or dtype is wg.bool else dtype
