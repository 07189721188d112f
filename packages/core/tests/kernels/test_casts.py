"""Casts between all dtypes against NumPy, and torch's rules where NumPy has none."""
import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import DTYPES, FLOATS, INTEGERS, assert_same, dtype, lay_out, output, values

PAIRS = [(src, dst) for src in DTYPES for dst in DTYPES]


def oracle(array: NDArray, dst: str) -> NDArray:
    """The oracle: NumPy's casts, a step at a time where torch goes through another type."""
    if dst == "bool":
        return np.asarray(array != 0)
    if array.dtype.kind == "c" and not dst.startswith("complex"):
        return oracle(array.real, dst)
    if dst in ("float16", "bfloat16"):
        return array.astype(np.float32).astype(dtype(dst))
    if dst in INTEGERS and array.dtype.name in FLOATS:
        return whole(array.astype(np.float64), dst)
    return array.astype(dtype(dst))


def whole(array: NDArray, dst: str) -> NDArray:
    """The whole part of floats as an integer dtype; the upper half of uint32 and uint64 comes from the lower one."""
    if dst not in ("uint32", "uint64"):
        return truncation(array, "int64" if dst == "int64" else "int32").astype(dst)
    signed, half = dst.removeprefix("u"), 2.0 ** (8 * np.dtype(dst).itemsize - 1)
    high = np.where(array < 2 * half, truncation(array - half, signed).astype(dst) ^ np.array(half, dst), 0)
    return np.where(array >= half, high, truncation(array, signed).astype(dst)).astype(dst)


def truncation(array: NDArray, dst: str) -> NDArray:
    info = np.iinfo(dst)
    whole = np.trunc(array)
    fits = (whole >= float(info.min)) & (whole < -float(info.min))
    return np.where(fits, np.where(fits, whole, 0).astype(dst), info.min)


def run(array: NDArray, dst: str, layout: str) -> NDArray:
    out = output(array.size, dst, layout)
    testing.cast(array, out)
    return out


@pytest.mark.parametrize(("src", "dst"), PAIRS, ids=lambda name: name)
def test_cast_is_numpys(src: str, dst: str, layout: str) -> None:
    array = lay_out(values(src, 300, special=True), layout)
    got = run(array, dst, layout)
    assert_same(got, oracle(array, dst))


@pytest.mark.parametrize("size", [0, 1, 3, 17])
@pytest.mark.parametrize(("src", "dst"), PAIRS, ids=lambda name: name)
def test_cast_stops_at_the_end(src: str, dst: str, size: int) -> None:
    out = output(20, dst)
    testing.cast(values(src, size), out[:size])
    assert_same(out[:size], oracle(values(src, size), dst))
    assert_same(out[size:], output(20 - size, dst))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_every_16_bit_float_widens_and_comes_back(name: str) -> None:
    every = np.arange(2**16, dtype=np.uint16).view(dtype(name))
    wide = run(every, "float32", "contiguous")
    np.testing.assert_array_equal(wide, every.astype(np.float32))
    back = run(wide, name, "contiguous")
    number = ~np.isnan(wide)
    np.testing.assert_array_equal(back.view(np.uint16)[number], every.view(np.uint16)[number])
    assert np.isnan(back[~number].astype(np.float32)).all()


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_narrowing_rounds_to_nearest_even(name: str) -> None:
    bits = np.random.default_rng(1).integers(0, 2**32, size=400_000, dtype=np.uint32)
    finite = np.arange(2**16, dtype=np.uint16).view(dtype(name)).astype(np.float32)
    finite = np.sort(finite[np.isfinite(finite)])
    halfway = (finite[1:] / 2 + finite[:-1] / 2).astype(np.float32)
    near = [halfway, np.nextafter(halfway, np.float32(np.inf)), np.nextafter(halfway, np.float32(-np.inf))]
    array = np.concatenate([bits.view(np.float32), *near])
    got, want = run(array, name, "contiguous"), array.astype(dtype(name))
    number = ~np.isnan(array)
    np.testing.assert_array_equal(got.view(np.uint16)[number], want.view(np.uint16)[number])
    assert np.isnan(got[~number].astype(np.float32)).all()


TORCH_FLOAT_TO_INT = [300.0, -1.0, -129.0, 1e5, 3e9, -3e9, 1e20, np.nan, np.inf, -np.inf, 2.7, -2.7]
LOW32, LOW64 = -(2**31), -(2**63)
RECORDED = {                                            # PyTorch 2.13, float64 to each type
    "uint8": [44, 255, 127, 160, 0, 0, 0, 0, 0, 0, 2, 254],
    "int8": [44, -1, 127, -96, 0, 0, 0, 0, 0, 0, 2, -2],
    "int16": [300, -1, -129, -31072, 0, 0, 0, 0, 0, 0, 2, -2],
    "int32": [300, -1, -129, 100000, LOW32, LOW32, LOW32, LOW32, LOW32, LOW32, 2, -2],
    "int64": [300, -1, -129, 100000, 3000000000, -3000000000, LOW64, LOW64, LOW64, LOW64, 2, -2],
    "uint16": [300, 2**16 - 1, 2**16 - 129, 34464, 0, 0, 0, 0, 0, 0, 2, 2**16 - 2],
    "uint32": [300, 2**32 - 1, 2**32 - 129, 100000, 3000000000, 2**31, 0, 2**31, 0, 2**31, 2, 2**32 - 2],
    "uint64": [300, 2**64 - 1, 2**64 - 129, 100000, 3000000000, 2**64 - 3000000000, 0, 2**63, 0, 2**63, 2, 2**64 - 2],
}


@pytest.mark.parametrize("dst", RECORDED)
@pytest.mark.parametrize("src", ["float32", "float64"])
def test_what_does_not_fit_an_integer_is_torchs(src: str, dst: str, layout: str) -> None:
    if layout == "broadcast":
        layout = "contiguous"
    array = lay_out(np.array(TORCH_FLOAT_TO_INT * 4, src), layout)
    assert run(array, dst, layout).tolist() == RECORDED[dst] * 4
