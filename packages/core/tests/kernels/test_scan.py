"""cumsum and cumprod against NumPy in a wider type."""
import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import COMPLEX, FLOATS, INTEGERS, assert_close, dtype, output, values
from .test_reduce import FORMS, arrange, wide

SHAPES = [(1, 1), (3, 0), (0, 5), (5, 7), (2, 3000), (70, 65), (130, 9)]
OPS = {"cumsum": np.cumsum, "cumprod": np.cumprod}


def run(op: str, src: NDArray, name: str) -> NDArray:
    out = output(src.shape, name)
    if src.strides[0] < src.strides[1]:
        out = out.T.copy().T
    testing.scan(op, src, out)
    return out


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["bool", *INTEGERS])
@pytest.mark.parametrize("op", OPS)
def test_integers_scan_in_int64(op: str, name: str, shape: tuple[int, int], form: str) -> None:
    src = arrange(values(name, shape[0] * shape[1]).reshape(shape), form)
    np.testing.assert_array_equal(run(op, src, "int64"), OPS[op](src, axis=1, dtype=np.int64))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", [*FLOATS, *COMPLEX])
def test_cumsum(name: str, shape: tuple[int, int], form: str) -> None:
    src = arrange(values(name, shape[0] * shape[1]).reshape(shape), form)
    got, want, scale = run("cumsum", src, name), wide(src).cumsum(1), np.abs(wide(src)).cumsum(1)
    for part in ("real", "imag") if name in COMPLEX else ("real",):
        assert_close(getattr(got, part), getattr(want, part), ulps=2, scale=scale)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*FLOATS, *COMPLEX])
def test_cumprod(name: str, form: str) -> None:
    near_one = 1 + values(name, 20 * 50).reshape(20, 50).astype("complex128" if name in COMPLEX else "float64") / 16
    src = arrange(near_one.astype(dtype(name)), form)
    got, want = run("cumprod", src, name), wide(src).cumprod(1)
    for part in ("real", "imag") if name in COMPLEX else ("real",):
        assert_close(getattr(got, part), getattr(want, part), ulps=150 if name in COMPLEX else 50, scale=np.abs(want))


@pytest.mark.parametrize("form", ["rows", "columns"])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_16_bit_floats_accumulate_in_float32(name: str, form: str) -> None:
    src = arrange(np.ones((3, 5000), dtype(name)), form)
    np.testing.assert_array_equal(run("cumsum", src, name)[:, -1].astype(float), float(dtype(name).type(5000)))


def test_nan_and_inf_go_on() -> None:
    src = np.array([[1, np.nan, 2], [1, np.inf, -np.inf], [0, np.inf, 1]], np.float32)
    np.testing.assert_array_equal(run("cumsum", src, "float32"), np.cumsum(src, axis=1))
    np.testing.assert_array_equal(run("cumprod", src, "float32"), np.cumprod(src, axis=1))


@pytest.mark.parametrize("form", FORMS)
def test_in_place(form: str) -> None:
    src = arrange(values("float64", 70 * 30).reshape(70, 30), form)
    want = np.cumsum(src, axis=1)
    testing.scan("cumsum", src, src)
    np.testing.assert_allclose(src, want, rtol=1e-12)
