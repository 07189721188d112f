"""How close results must be: by their dtype.

>>> import numpy as np
>>> from wengert_testing.tolerance import assert_close
>>> assert_close(np.float32(1.0000001), np.float64(1), "a number")
>>> assert_close(np.array([1.0, 2.0]), np.array([1.0, 2.1]), "numbers")
Traceback (most recent call last):
    ...
AssertionError: numbers: 1 of 2 elements differ by more than rtol 1e-12, atol 1e-12;
  the largest difference is 0.1 at [1]: 2.0, expected 2.1
"""

from __future__ import annotations

from typing import Any

import numpy as np

TOLERANCE = {
    "bfloat16": 2e-2,
    "float16": 2e-3,
    "float32": 2e-6,
    "complex64": 4e-6,
    "float64": 1e-12,
    "complex128": 1e-12,
}
"""Relative and absolute, of results that are computed in a few roundings."""


def tolerance_of(dtype: Any) -> float:
    """What a dtype's rounding allows; 0 for integers and bool."""
    return TOLERANCE.get(np.dtype(dtype).name, 0.0)


def common(one: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype two arrays are compared in."""
    kinds = one.kind + other.kind
    if "c" in kinds:
        return np.dtype(np.complex128)
    return one if set(kinds) <= set("biu") else np.dtype(np.float64)


def assert_close(got: Any, expected: Any, what: str, *, rtol: float | None = None, atol: float | None = None) -> None:
    """AssertionError, with the place of the largest difference, unless shapes agree and elements are close.

    NaN equals NaN. got decides the tolerance when none is given.   what: names the comparison in the message.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        raise AssertionError(f"{what}: shape {list(got.shape)}, expected {list(expected.shape)}")
    rtol = tolerance_of(got.dtype) if rtol is None else rtol
    atol = rtol if atol is None else atol
    wide = common(got.dtype, expected.dtype)
    a, b = got.astype(wide), expected.astype(wide)
    good = a == b if rtol == 0 else np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    if good.all():
        return
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(np.subtract(a, b, dtype=np.result_type(wide, np.float64)))
    far = np.where(good, -1, np.nan_to_num(size, nan=np.inf))
    place = np.unravel_index(int(np.argmax(far)), far.shape)
    raise AssertionError(
        f"{what}: {int((~good).sum())} of {good.size} elements differ by more than rtol {rtol:g}, atol {atol:g};\n"
        f"  the largest difference is {far[place]:g} at {[int(i) for i in place]}: "
        f"{got[place]}, expected {expected[place]}"
    )
