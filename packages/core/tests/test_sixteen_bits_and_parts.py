"""Sums and scans that convert many elements at a time give the bits of wider tensors; casts of every half."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array


def draw(name: str, shape: tuple[int, ...] = (203, 301)) -> np.ndarray[Any, Any]:
    """Numbers of a dtype of NumPy, not all of one size."""
    r = np.random.default_rng(7)
    x = r.normal(size=shape) * np.exp2(r.integers(-6, 6, size=shape))
    return (x + 1j * x[::-1] if name.startswith("complex") else x).astype(name)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_every_half_as_a_float(step: int) -> None:
    halves = np.arange(0x10000, dtype=np.uint16).view(np.float16)[::step]
    got = to_array(from_array(halves).to(wg.float32))
    np.testing.assert_array_equal(got, halves.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(halves))


@pytest.mark.parametrize("step", [1, 2, 3])
def test_floats_around_each_half(step: int) -> None:
    halves = np.arange(0x10000, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    near = np.concatenate([halves + np.uint32(d) for d in (0, 1, 0xFFF, 0x1000, 0x1001)]).view(np.float32)[::step]
    got = to_array(from_array(near).to(wg.float16)).view(np.uint16)
    nan = np.isnan(near)
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(got[~nan], near[~nan].astype(np.float16).view(np.uint16))
    np.testing.assert_array_equal(got[nan] & 0x7FFF, 0x7E00)  # one NaN, whatever its bits were
    np.testing.assert_array_equal(got[nan] >> 15, np.signbit(near[nan]))


def arrange(t: wg.Tensor, layout: str) -> wg.Tensor:
    """A view of a matrix."""
    views = {
        "rows": lambda: t,
        "columns": lambda: t.t(),
        "every second": lambda: t[:, ::2],
        "every third": lambda: t[:, ::3],
        "columns with gaps": lambda: t[::2, ::3].t(),
        "short rows": lambda: t[:, :5],
        "a few rows": lambda: t[:7],
    }
    return views[layout]()


LAYOUTS = ["rows", "columns", "every second", "every third", "columns with gaps", "short rows", "a few rows"]


@pytest.mark.native("NumPy adds in other orders for other layouts")
@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_a_sum_of_16_bit_floats_is_that_of_floats(name: str, layout: str, dim: int | None) -> None:
    x = from_array(draw("float32")).to(getattr(wg, name))
    got = arrange(x, layout).sum(dim, dtype=wg.float32)
    np.testing.assert_array_equal(to_array(got), to_array(arrange(x.to(wg.float32), layout).sum(dim)))


@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_a_sum_of_complex_numbers_is_close_in_both_parts(name: str, layout: str, dim: int | None) -> None:
    t = arrange(from_array(draw(name)), layout)
    x = to_array(t).astype(complex)
    lines = x.reshape(1, -1) if dim is None else x if dim == 1 else x.T
    got = to_array(t.sum(dim)).reshape(-1)
    eps = np.finfo(name).eps
    for part in ("real", "imag"):
        for line, value in zip(getattr(lines, part), getattr(got, part), strict=True):
            assert abs(float(value) - math.fsum(line)) <= 8 * eps * np.abs(line).sum()


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "complex64", "uint8", "int16", "bool"])
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
def test_a_scan_of_a_view_is_that_of_its_copy_and_of_each_line(op: str, name: str, layout: str, dim: int) -> None:
    t = arrange(from_array(draw("float32")).to(getattr(wg, name)), layout)
    got = getattr(t, op)(dim)
    assert got.is_contiguous()
    bits = to_array(got.view(wg.uint8))
    np.testing.assert_array_equal(bits, to_array(getattr(t.clone().contiguous(), op)(dim).view(wg.uint8)))
    lines = [getattr(t.select(1 - dim, i).clone(), op)(0) for i in range(t.shape[1 - dim])]
    np.testing.assert_array_equal(bits, to_array(wg.stack(lines, 1 - dim).contiguous().view(wg.uint8)))


@pytest.mark.parametrize("dim", range(4))
def test_a_scan_of_dims_that_are_no_one_stretch(dim: int) -> None:
    x = draw("float64", (6, 8, 10, 12))
    t = from_array(x)[::2, 1:, ::3, ::2].permute(2, 0, 3, 1)
    np.testing.assert_allclose(to_array(t.cumsum(dim)), to_array(t).cumsum(dim), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "bool"])
def test_extremes_and_truths_of_more_than_a_block(name: str) -> None:
    for place in (0, 1023, 1024, 2047, 4999):
        x = np.zeros(5000, name)
        x[place] = 1
        t = from_array(x)
        assert t.any().item()
        assert t.amax().item() == 1
        assert t.amin().item() == 0
        assert not t.all().item()
        assert (t == 0).sum().item() == 4999
