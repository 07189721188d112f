"""Helpers of the kernel tests: dtypes by name, values, memory layouts, and comparison in units of the dtype."""
import ml_dtypes
import numpy as np
from numpy.typing import NDArray

INTEGERS = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
LAYOUTS = ["contiguous", "strided", "reversed", "broadcast"]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 1e-40, 6e-8, 65504.0, 65520.0, 3e38, -3e38, 1e300, 2.5, -2.5]


def dtype(name: str) -> np.dtype:
    """The NumPy dtype of a name, bfloat16 included."""
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def epsilon(name: str) -> float:
    """Distance from 1 to the next number of a float or complex dtype."""
    return {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "complex64": 2.0**-23}.get(name, 2.0**-52)


def values(name: str, size: int, *, seed: int = 0, special: bool = False) -> NDArray:
    """size values of a dtype: normal variates for floats (special ones first if asked), all integers there are."""
    rng = np.random.default_rng(seed)
    if name == "bool":
        return rng.random(size) < 0.5
    if name in INTEGERS:
        info = np.iinfo(name)
        return rng.integers(info.min, info.max, size=size, endpoint=True, dtype=name)
    array = rng.normal(size=size) * 4
    if special:
        array[: len(SPECIAL)] = SPECIAL[:size]
    if name in COMPLEX:
        array = array + 1j * np.roll(array, 3)
    return array.astype(dtype(name))


def lay_out(array: NDArray, layout: str) -> NDArray:
    """The same 1-d values with another stride; "broadcast" repeats the first value with stride 0."""
    if layout == "broadcast":
        return np.broadcast_to(array[:1], array.shape)
    if layout == "contiguous":
        return array
    spread = np.zeros(3 * array.size + 1, array.dtype)
    view = spread[1::3] if layout == "strided" else spread[1::3][::-1]
    view[...] = array
    return view


def output(shape: int | tuple[int, ...], name: str, layout: str = "contiguous") -> NDArray:
    """A buffer for results, filled with a value that is not the result."""
    if layout in ("contiguous", "broadcast"):
        return np.full(shape, 77, dtype(name))
    size = int(np.prod(shape))
    return lay_out(np.full(size, 77, dtype(name)), layout)


def assert_same(got: NDArray, want: NDArray) -> None:
    """Equal dtypes, shapes and values; NaN equals NaN, also in bfloat16."""
    assert got.dtype == want.dtype
    if got.dtype == ml_dtypes.bfloat16:
        got, want = got.astype(np.float32), want.astype(np.float32)
    np.testing.assert_array_equal(got, want, strict=True)


def assert_close(got: NDArray, want: NDArray, *, ulps: float, scale: NDArray | float = 0.0) -> None:
    """got differs from want by at most ulps units of got's dtype at max(|want|, scale); NaN and inf in the same places.

    Below the smallest normal number the unit is that of the smallest normal number.
    """
    info = ml_dtypes.finfo(got.dtype)
    got, want = np.asarray(got, np.longdouble), np.asarray(want, np.longdouble)
    overflows = np.abs(want) > info.max * (1 + info.eps / 4)
    want = np.where(overflows, np.copysign(np.inf, want), want)
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite])
    unit = info.eps * np.maximum(np.maximum(np.abs(want), np.abs(scale)), float(info.smallest_normal))
    error = np.abs(got - want)[finite] / unit[finite]
    worst = int(np.argmax(error)) if error.size else 0
    assert error.size == 0 or error[worst] <= ulps, (
        f"{error[worst]} ulp: got {got[finite][worst]}, want {want[finite][worst]}")
