"""Reductions against NumPy in higher precision, in the row form and the column form."""
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import COMPLEX, DTYPES, FLOATS, INTEGERS, assert_close, dtype, output, values

SHAPES = [(1, 1), (3, 0), (0, 5), (5, 7), (1, 5000), (3, 1025), (300, 70), (9, 33), (130, 4100), (2, 9),
          (2300, 40)]
FORMS = ["rows", "columns", "strided", "thirds", "columns with gaps", "reversed"]
ONE_DTYPE = {"sum": [*FLOATS, *COMPLEX], "prod": [*FLOATS, *COMPLEX], "amax": [*INTEGERS, *FLOATS, "bool"],
             "amin": [*INTEGERS, *FLOATS, "bool"]}


def arrange(array: NDArray, form: str) -> NDArray:
    """The same matrix: contiguous, transposed in memory, with gaps, with both, or with negative strides."""
    if form == "columns":
        return array.T.copy().T
    if form == "columns with gaps":
        return arrange(array.T, "strided").T
    if form in ("strided", "thirds"):
        step = 2 if form == "strided" else 3
        wide = np.zeros((array.shape[0], step * array.shape[1]), array.dtype)
        wide[:, ::step] = array
        return wide[:, ::step]
    return array[::-1, ::-1].copy()[::-1, ::-1] if form == "reversed" else array


def matrix(name: str, shape: tuple[int, int], form: str) -> NDArray:
    return arrange(values(name, shape[0] * shape[1], seed=5).reshape(shape), form)


def run(name: str, src: NDArray, dst: str) -> NDArray:
    out = output(src.shape[0], dst)
    testing.reduce(name, src, out)
    return out


def wide(array: NDArray) -> NDArray:
    return array.astype(np.clongdouble if array.dtype.kind == "c" else np.longdouble)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", [*FLOATS, *COMPLEX])
def test_sum(name: str, shape: tuple[int, int], form: str) -> None:
    src = matrix(name, shape, form)
    got, want, scale = run("sum", src, name), wide(src).sum(1), np.abs(wide(src)).sum(1)
    for part in ("real", "imag") if name in COMPLEX else ("real",):
        assert_close(getattr(got, part), getattr(want, part), ulps=2, scale=scale)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(40, 2100), (700, 3), (9, 1030), (300, 65), (1, 1024)], ids=str)
@pytest.mark.parametrize("name", ["bool", *INTEGERS])
def test_integers_sum_and_multiply_in_int64(name: str, shape: tuple[int, int], form: str) -> None:
    src = matrix(name, shape, form)
    np.testing.assert_array_equal(run("sum", src, "int64"), src.sum(1, dtype=np.int64))
    np.testing.assert_array_equal(run("prod", src, "int64"), src.prod(1, dtype=np.int64))


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 33, 1025])
@pytest.mark.parametrize("name", DTYPES)
def test_the_last_of_every_second_element_may_end_the_memory(name: str, n: int) -> None:
    src = values(name, 2 * n - 1, seed=3)[::2].reshape(1, n)
    assert run("any", src, "bool").tolist() == [bool((src != 0).any())]
    if name in ONE_DTYPE["amax"]:
        np.testing.assert_array_equal(run("amax", src, name), src.max(1))
    dst = name if name in ONE_DTYPE["sum"] else "int64"
    np.testing.assert_array_equal(run("sum", src, dst), run("sum", src.copy(), dst))


@pytest.mark.parametrize("form", ["strided", "thirds"])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_gaps_in_rows_change_no_bit_of_16_bit_floats(name: str, form: str) -> None:
    src = values(name, 40 * 2100, seed=9).reshape(40, 2100)
    np.testing.assert_array_equal(run("sum", arrange(src, form), "float32"), run("sum", src, "float32"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*FLOATS, *COMPLEX])
def test_prod(name: str, form: str) -> None:
    n = 60
    near_one = 1 + values(name, 20 * n).reshape(20, n).astype("complex128" if name in COMPLEX else "float64") / 16
    src = arrange(near_one.astype(dtype(name)), form)
    want = wide(src).prod(1)
    got = run("prod", src, name)
    ulps = n + 1 if name in ("float32", "float64") else 3 * n if name in COMPLEX else 1
    for part in ("real", "imag") if name in COMPLEX else ("real",):
        assert_close(getattr(got, part), getattr(want, part), ulps=ulps, scale=np.abs(want))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("form", FORMS)
def test_16_bit_floats_accumulate_in_float32(name: str, form: str) -> None:
    src = arrange(np.full((10, 5000), 0.1, dtype(name)), form)
    exact = float(src[0, 0]) * 5000
    np.testing.assert_allclose(run("sum", src, "float32"), exact, rtol=1e-6)
    assert_close(run("sum", src, name), np.full(10, exact), ulps=0.51)


@pytest.mark.parametrize("form", ["rows", "columns"])
def test_long_sums_stay_accurate(form: str) -> None:
    src = arrange(np.full((8, 1 << 20), 0.1, np.float32), form)
    np.testing.assert_allclose(run("sum", src, "float32"), float(np.float32(0.1)) * 2**20, rtol=4e-7)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape[1]], ids=str)
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS])
def test_extremes(name: str, shape: tuple[int, int], form: str) -> None:
    src = matrix(name, shape, form)
    np.testing.assert_array_equal(run("amax", src, name), src.max(1, initial=None))
    np.testing.assert_array_equal(run("amin", src, name), src.min(1, initial=None))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("at", [0, 1, 31, 32, 700, 1500, 2099])
def test_nan_wins_wherever_it_stands(name: str, form: str, at: int) -> None:
    src = arrange(np.where(np.arange(2100) == at, np.nan, values("float32", 2100)).astype(dtype(name))
                  .reshape(1, -1).repeat(9, 0), form)
    for op in ("amax", "amin", "sum", "prod"):
        assert np.isnan(run(op, src, name).astype(np.float32)).all()


@pytest.mark.parametrize("name", FLOATS)
def test_infinities_are_values(name: str) -> None:
    src = np.array([[np.inf, 1, -np.inf], [-np.inf, -np.inf, -np.inf], [np.inf, np.inf, np.inf]], dtype(name))
    assert run("amax", src, name).tolist() == [np.inf, -np.inf, np.inf]
    assert run("amin", src, name).tolist() == [-np.inf, -np.inf, np.inf]


def with_zeros(array: NDArray) -> NDArray:
    """Rows of zeros, of ones, and of mixtures."""
    array = array.copy()
    array[0] = 0
    array[1] = 1
    array[2, 5] = 0
    array[3] = 0
    array[3, -1] = 3
    return array


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DTYPES)
def test_any_and_all(name: str, form: str) -> None:
    src = arrange(with_zeros(values(name, 12 * 1100).reshape(12, 1100)), form)
    np.testing.assert_array_equal(run("any", src, "bool"), (src != 0).any(1))
    np.testing.assert_array_equal(run("all", src, "bool"), (src != 0).all(1))


@pytest.mark.parametrize(("number", "truth"), [(np.nan, True), (-0.0, False), (0.0, False), (1e-7, True)])
@pytest.mark.parametrize("name", FLOATS)
def test_truth_of_special_values(name: str, number: float, truth: bool) -> None:
    src = np.full((2, 3), number, dtype(name))
    assert run("any", src, "bool").tolist() == [truth, truth]
    assert run("all", src, "bool").tolist() == [truth, truth]


IDENTITIES: list[tuple[str, str, str, Callable[[NDArray], bool]]] = [
    ("sum", "float32", "float32", lambda out: (out == 0).all()),
    ("prod", "complex64", "complex64", lambda out: (out == 1).all()),
    ("prod", "int8", "int64", lambda out: (out == 1).all()),
    ("any", "float64", "bool", lambda out: not out.any()),
    ("all", "float64", "bool", lambda out: out.all()),
]


@pytest.mark.parametrize(("name", "src", "dst", "holds"), IDENTITIES)
@pytest.mark.parametrize("form", FORMS)
def test_nothing_reduces_to_the_identity(name: str, src: str, dst: str, holds: Callable[[NDArray], bool],
                                         form: str) -> None:
    assert holds(run(name, arrange(np.zeros((9, 0), src), form), dst))


def test_every_reduction_claims_its_dtypes() -> None:
    for op, names in ONE_DTYPE.items():
        assert [name for name in names if not testing.has_reduction(op, name, name)] == []
    for op in ("any", "all"):
        assert [name for name in DTYPES if not testing.has_reduction(op, name, "bool")] == []
    assert not testing.has_reduction("sum", "bool", "bool")
    assert not testing.has_reduction("nonsense", "float32", "float32")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(700, 3), (9, 1030), (300, 65), (16, 1)], ids=str)
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS, *COMPLEX])
def test_truths_of_short_rows_and_narrow_columns(name: str, shape: tuple[int, int], form: str) -> None:
    array = values("float32", shape[0] * shape[1], seed=7).reshape(shape)
    src = arrange(np.where(array > 1, array, -0.0).astype(dtype(name)), form)
    truths = src.astype(np.complex128 if name in COMPLEX else np.float64) != 0
    np.testing.assert_array_equal(run("any", src, "bool"), truths.any(1))
    np.testing.assert_array_equal(run("all", src, "bool"), truths.all(1))
