"""Elementary functions of one argument: their errors in units of the last place, special values, and symmetry.

The oracle is long double. Of all numbers of float32 every 65537th is compared.
"""
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import lay_out, output

LD = np.longdouble
PI = LD("3.14159265358979323846264338327950288")


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), of the exact distance to a whole number."""
    whole = np.rint(x)
    sine = np.sin(PI * (x - whole)) * np.where(whole % 2 == 0, 1, -1)
    return np.where(x == 0, 1, sine / (PI * np.where(x == 0, 1, x)))


@dataclass(frozen=True)
class Case:
    """One function: oracle over long doubles, what is promised of float32 and float64, and the inputs."""

    name: str
    oracle: Callable[..., Any]
    narrow: float                           # ulps of float32
    wide: float | None                      # of float64; None: no kernel
    low: float
    high: float

    def __str__(self) -> str:
        return self.name


CASES = [
    Case("tanh", np.tanh, 2, 2, -25, 25),
    Case("expm1", np.expm1, 2, 2, -50, 712),
    Case("exp2", np.exp2, 1.5, 1.5, -1100, 1100),
    Case("sinh", np.sinh, 0.51, 2, -712, 712),
    Case("cosh", np.cosh, 0.51, 2, -712, 712),
    Case("log", np.log, 2, 1, 0, 1e4),
    Case("log1p", np.log1p, 0.51, 1, -1, 1e4),
    Case("log2", np.log2, 0.51, 1, 0, 1e4),
    Case("log10", np.log10, 0.51, 1, 0, 1e4),
    Case("atanh", np.arctanh, 0.51, 2, -1, 1),
    Case("asin", np.arcsin, 0.51, 1, -1, 1),
    Case("acos", np.arccos, 0.51, None, -1, 1),
    Case("atan", np.arctan, 0.51, 2, -1e4, 1e4),
    Case("sinc", sinc, 0.51, 2.5, -1e4, 1e4),
    Case("sin", np.sin, 0.51, None, -1e5, 1e5),
    Case("cos", np.cos, 0.51, None, -1e5, 1e5),
    Case("tan", np.tan, 0.51, None, -1e5, 1e5),
]
ROWS = [pytest.param(case, name, id=f"{case}-{name}") for case in CASES for name in ("float32", "float64")
        if name == "float32" or case.wide is not None]
NAN, INF = np.nan, np.inf
PERIODIC = ("sin", "cos", "tan", "sinc")


def run(case: Case | str, x: NDArray, layout: str = "contiguous") -> NDArray:
    out = output(x.size, x.dtype.name, layout)
    testing.pointwise(str(case), out, x)
    return out


def inputs(case: Case, name: str) -> NDArray:
    """Numbers of all sizes, numbers next to 1 and to the bounds, and random ones."""
    rng = np.random.default_rng(7)
    sizes = np.exp2(rng.uniform(-140 if name == "float32" else -1070, 10, 20000))
    near = 1 + rng.uniform(-1, 1, 8000) * np.exp2(-rng.uniform(0, 50, 8000))
    x = np.concatenate([sizes, near, -sizes, -near, rng.uniform(case.low, case.high, 20000), rng.uniform(-2, 2, 20000),
                        np.linspace(case.low, case.high, 4001)]).astype(name)
    return x[(x >= case.low) & (x <= case.high)]


def errors(got: NDArray, want: NDArray) -> NDArray:
    """The distance in units of the last place of what is right; 0 where both are infinite or no numbers."""
    with np.errstate(all="ignore"):
        rounded = want.astype(got.dtype)
        unit = np.spacing(np.minimum(np.abs(rounded), np.finfo(got.dtype).max)).astype(LD)
        return np.where((got == rounded) & ~np.isfinite(rounded) | (got != got) & (want != want), 0,
                        np.abs(got.astype(LD) - want) / unit)


@pytest.mark.parametrize(("case", "name"), ROWS)
def test_errors(case: Case, name: str) -> None:
    x = inputs(case, name)
    with np.errstate(all="ignore"):
        error = errors(run(case, x), case.oracle(x.astype(LD)))
    assert error.max() <= (case.narrow if name == "float32" else case.wide), x[error.argmax()]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_errors_over_all_of_float32(case: Case) -> None:
    x = np.arange(0, 2**32, 65537, dtype=np.uint32).view(np.float32)
    x = x[~((np.abs(x) > case.high) & np.isin(case.name, PERIODIC))]
    with np.errstate(all="ignore"):
        error = errors(run(case, x), case.oracle(x.astype(LD)))
    assert error.max() <= case.narrow, x[error.argmax()]


AT = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 5e-324, 1e-45, -1e-45, 2.0, -2.0, 1e30, -1e30]


@pytest.mark.parametrize(("case", "name"), ROWS)
def test_special_values_are_numpys(case: Case, name: str) -> None:
    x = np.array([value for value in AT if str(case) not in PERIODIC or abs(value) < 1e30] * 13, name)
    with np.errstate(all="ignore"):
        want = case.oracle(x.astype(LD)).astype(name)
        got = run(case, x)
        ends = ~np.isfinite(want) | (want == 0) | (np.abs(x) < 1e-30)
    np.testing.assert_array_equal(got[ends], want[ends])
    number = ends & ~np.isnan(want)
    if str(case) != "sinc":                 # which is 0 at whole numbers, of either sign
        np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(want[number]))


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_infinite_numbers_have_no_angle(name: str) -> None:
    for function in ("sin", "cos", "sinc", *(["tan"] if name == "float32" else [])):
        assert np.isnan(run(function, np.array([INF, -INF, NAN], name))).all()


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("function", ["tanh", "sinh", "atanh", "asin", "atan"])
def test_odd_functions_are_odd_to_the_last_bit(function: str, name: str) -> None:
    x = np.concatenate([np.geomspace(1e-44, 100, 50000), np.linspace(0, 1, 20001)]).astype(name)
    np.testing.assert_array_equal(run(function, -x), -run(function, x))


@pytest.mark.parametrize("layout", ["strided", "reversed"])
@pytest.mark.parametrize(("case", "name"), ROWS)
def test_neighbors_strides_and_sizes_do_not_change_a_bit(case: Case, name: str, layout: str) -> None:
    x = inputs(case, name)[::37]
    whole = run(case, x)
    np.testing.assert_array_equal(run(case, lay_out(x, layout), layout), whole)
    for size in (1, 3, 7):
        parts = [run(case, x[i : i + size].copy()) for i in range(0, 700, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole[: sum(part.size for part in parts)])


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_powers_of_two_and_ten_have_whole_logarithms(name: str) -> None:
    info = np.finfo(name)
    twos = np.arange(info.minexp - info.nmant, info.maxexp).astype(name)
    np.testing.assert_array_equal(run("exp2", twos), np.ldexp(np.ones_like(twos), twos.astype(int)))
    np.testing.assert_array_equal(run("log2", np.ldexp(np.ones_like(twos), twos.astype(int))), twos)
    tens = np.arange(23 if name == "float64" else 11).astype(name)
    np.testing.assert_array_equal(run("log10", np.array([10.0**int(k) for k in tens], name)), tens)


@pytest.mark.parametrize("function", ["sin", "cos", "tan"])
def test_an_angle_does_not_depend_on_what_stands_beside(function: str) -> None:
    x = np.random.default_rng(3).uniform(-99999, 99999, 2048).astype(np.float32)
    alone = run(function, x)
    for value in (2e5, 1e30, INF, NAN):
        mixed = x.copy()
        mixed[::200] = value
        beside = run(function, mixed)
        np.testing.assert_array_equal(beside[mixed == x], alone[mixed == x])
        want = getattr(np, function)(np.float64(np.float32(value))) if value < INF else NAN
        np.testing.assert_array_equal(beside[::200], np.float32(want))


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_logit_holds_numbers_within_eps_if_there_is_one(name: str) -> None:
    x = np.array([-0.5, 0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0, 1.5, NAN], name)
    for eps in (NAN, 0.125):
        held = x if eps != eps else np.clip(x, LD(eps), 1 - LD(eps))
        with np.errstate(all="ignore"):
            want = np.log(held.astype(LD) / (1 - held.astype(LD)))
        out = output(x.size, name)
        testing.pointwise("logit", out, x, params=(eps,))
        np.testing.assert_allclose(out, want.astype(name), rtol=8 * np.finfo(name).eps, atol=0)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_parts_and_degrees(name: str) -> None:
    x = np.array([0.0, -0.0, 1.5, -1.5, 1e10, -90.0, INF, -INF, NAN, -NAN, 1e-45] * 5, name)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run("frac", x), x - np.trunc(x))
        assert errors(run("deg2rad", x), x.astype(LD) * (PI / 180)).max() <= 1.5
        assert errors(run("rad2deg", x), x.astype(LD) * (180 / PI)).max() <= 1.5
    signs = output(x.size, "bool")
    testing.pointwise("signbit", signs, x)
    np.testing.assert_array_equal(signs, np.signbit(x))


def test_erfinv_of_float32_is_that_of_float64() -> None:
    x = np.concatenate([np.linspace(-1.1, 1.1, 40001), 1 - np.geomspace(1e-7, 1, 5001), [NAN, 0, -0.0]])
    x = x.astype(np.float32)
    got, want = run("erfinv", x), run("erfinv", x.astype(np.float64))
    assert errors(got, want.astype(LD)).max() <= 0.51
    np.testing.assert_array_equal(np.signbit(got[np.abs(x) <= 1]), np.signbit(x[np.abs(x) <= 1]))


def test_digamma_of_float32_is_that_of_float64_as_far_as_its_argument_is_exact() -> None:
    sizes = np.geomspace(1e-30, 1e30, 20001)
    x = np.concatenate([sizes, -sizes, np.linspace(-20, 20, 20001), [NAN, INF, -INF, 0, -0.0, -1, -2]])
    x = x.astype(np.float32)
    got, want = run("digamma", x).astype(np.float64), run("digamma", x.astype(np.float64))
    plain = np.isfinite(want)
    np.testing.assert_array_equal(got[~plain], want[~plain])
    near = np.abs(x - np.rint(x))[plain].astype(np.float64) + 1e-9
    slope = np.where(x[plain] < 1, 1 / near**2, 1 / np.abs(x[plain]).clip(1e-30)) * np.abs(x[plain])
    assert (np.abs(got - want)[plain] <= 2.0**-24 * (np.abs(want[plain]) + slope)).all()


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_entropy(name: str) -> None:
    x = np.concatenate([np.geomspace(1e-38, 1e30, 9001), [0, -0.0, -1, NAN, INF, -INF, 1]]).astype(name)
    wide = x.astype(LD)
    with np.errstate(all="ignore"):
        want = np.where(x > 0, -wide * np.log(wide), np.where(x == 0, 0, np.where(x < 0, -INF, NAN)))
    assert errors(run("entr", x), want).max() <= 3
