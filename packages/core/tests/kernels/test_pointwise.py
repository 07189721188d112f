"""Pointwise loops against the same mathematics in long double, by NumPy and math.

Each case says its oracle and its tolerance in units of the last place of the dtype; scale names what the unit is taken
of where a difference of larger terms is inherent (a derivative with a zero, say).
"""
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import DTYPES, SPECIAL, assert_close, assert_same, dtype, lay_out, output, values

Oracle = Callable[..., Any]
wide_erf = np.vectorize(math.erf, otypes=[np.longdouble])
wide_erfc = np.vectorize(math.erfc, otypes=[np.longdouble])
LD = np.longdouble
ROOT_HALF, ROOT_TWO_PI, GELU = LD(0.5) ** LD(0.5), (2 * LD(math.pi)) ** LD(0.5), LD(2 / np.pi) ** LD(0.5)


PI = LD("3.14159265358979323846264338327950288")


def lgamma(x: Any) -> Any:
    """By the recurrence to 60, then the first terms of Stirling's series; reflected below."""
    x = np.asarray(x, LD)
    y = np.where(x < 0, 1 - x, x)
    far = y + 60
    value = (far - LD(0.5)) * np.log(far) - far + np.log(2 * PI) / 2
    value += 1 / (12 * far) - 1 / (360 * far**3) + 1 / (1260 * far**5) - 1 / (1680 * far**7)
    value -= np.log(np.prod([y + k for k in range(60)], axis=0))
    part = np.where(x < 0, x - np.round(x), LD(0.5))
    return np.where(x < 0, np.log(PI / np.abs(np.sin(PI * part))) - value, value)


def cotangent(x: Any) -> Any:
    """pi / tan(pi x)."""
    return PI / np.tan(PI * (x - np.round(x)))


def digamma(x: Any) -> Any:
    """The derivative of lgamma: the recurrence to 60, then the first terms of the asymptotic series; reflected."""
    x = np.asarray(x, LD)
    y = np.where(x < 0, 1 - x, x)
    far = y + 60
    value = np.log(far) - 1 / (2 * far) - 1 / (12 * far**2) + 1 / (120 * far**4) - 1 / (252 * far**6)
    value -= sum(1 / (y + k) for k in range(60))
    return np.where(x < 0, value - cotangent(np.where(x < 0, x, LD(0.5))), value)


def trigamma(x: Any) -> Any:
    """The derivative of digamma, as far as the error of its argument needs it: near the next pole."""
    near = np.abs(x - np.round(x)) + LD(1e-9)
    return np.where(x < 1, 1 / near**2, 1 / np.asarray(x, LD)) + 1


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def cdf(x: Any) -> Any:
    return wide_erfc(-x * ROOT_HALF) / 2


def gelu_slope(x: Any) -> Any:
    return cdf(x) + x * np.exp(-x * x / 2) / ROOT_TWO_PI


def gelu_arg(x: Any) -> Any:
    return 2 * GELU * (x + LD("0.044715") * x**3)


def gelu_tanh_slope(x: Any) -> Any:
    s = sigmoid(gelu_arg(x))
    return s + x * s * sigmoid(-gelu_arg(x)) * 2 * GELU * (1 + 3 * LD("0.044715") * x**2)


def softplus(x: Any, beta: float, threshold: float) -> Any:
    return np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta)


def silu_slope(x: Any) -> Any:
    return sigmoid(x) * (1 + x * sigmoid(-x))


def elu(x: Any, alpha: float, scale: float, rate: float) -> Any:
    return scale * np.where(x < 0, alpha * np.expm1(np.where(x < 0, x, 0) * LD(rate)), x)


def elu_slope(x: Any, alpha: float, scale: float, rate: float) -> Any:
    return scale * np.where(x <= 0, alpha * rate * np.exp(np.where(x < 0, x, 0) * LD(rate)), 1)


def clip(x: Any, low: float, high: float) -> Any:
    return np.where(x < low, low, np.where(x > high, high, x))


def mish_parts(x: Any) -> Any:
    """tanh(softplus(x)), and the part of the slope that x is multiplied with."""
    e = np.exp(np.minimum(x, 200))
    n = e * (e + 2)
    return n / (n + 2), sigmoid(x) * 4 * (n + 1) / (n + 2) ** 2


def mish_slope(x: Any) -> Any:
    t, rest = mish_parts(x)
    return t + np.where(x > 200, 0, x * rest)


@dataclass(frozen=True)
class Case:
    """One op: oracle over long doubles, tolerance, and where the unit of the tolerance comes from."""

    name: str
    oracle: Oracle
    ulps: float = 2.0
    nin: int = 1
    params: tuple[float, ...] = ()
    scale: Oracle = lambda *args: 0.0
    spread: float = 4.0                                 # standard deviation of the inputs
    dtypes: tuple[str, ...] = ("float32", "float64")

    def __str__(self) -> str:
        return self.name


CASES = [
    Case("sigmoid", sigmoid, ulps=3),
    Case("log_sigmoid", lambda x: -np.logaddexp(0, -x), ulps=3),
    Case("silu", lambda x: x * sigmoid(x), ulps=4),
    Case("relu", lambda x: np.where(x < 0, 0, x), ulps=0),
    Case("gelu", lambda x: x * cdf(x), ulps=4, scale=lambda x: 40 * x * x * x * cdf(x)),
    Case("gelu_tanh", lambda x: x * sigmoid(gelu_arg(x)), ulps=4, spread=2,
         scale=lambda x: 3 * gelu_arg(x) * x * sigmoid(gelu_arg(x))),
    Case("softplus", softplus, ulps=4, params=(1.0, 20.0)),
    Case("softplus", softplus, ulps=4, params=(2.0, 5.0), scale=lambda x, *_: 2 * x * sigmoid(2 * x)),
    Case("exp", np.exp, spread=30),
    Case("erf", lambda x: np.where(np.abs(x) < 0.5, wide_erf(x), 1 - wide_erfc(x)), spread=1.5),
    Case("erfc", wide_erfc, ulps=4),
    Case("lgamma", lgamma, ulps=4, scale=lambda x: np.where(x < 0, 1, 0.25)),  # the oracle near its zeros 1 and 2
    Case("digamma", digamma, ulps=4, scale=lambda x: 1 + np.abs(x) * trigamma(x)),
    Case("elu", elu, ulps=4, params=(1.5, 1.25, 0.75)),
    Case("elu", elu, ulps=4, params=(1.0, 1.0, 1.0), spread=0.5),
    Case("elu_backward", lambda g, x, *numbers: g * elu_slope(x, *numbers), nin=2, ulps=5, params=(1.5, 1.25, 0.75),
         scale=lambda g, x, *_: abs(g * x) * np.exp(-abs(x) * LD(0.75))),
    Case("elu_backward_of_result", lambda g, y, a, s, r: g * np.where(y <= 0, r * (y + s * a), s), nin=2, ulps=4,
         params=(1.5, 1.25, 0.75), scale=lambda g, y, *_: g * y),
    Case("celu", lambda x, alpha: elu(x, alpha, 1, 1 / LD(alpha)), ulps=4, params=(1.5,)),
    Case("hardtanh", clip, ulps=0, params=(-1.5, 2.0)),
    Case("hardtanh_backward", lambda g, x, low, high: np.where((x > low) & (x < high), g, 0), nin=2, ulps=0,
         params=(-1.5, 2.0)),
    Case("hardsigmoid", lambda x: clip(x + 3, 0, 6) / 6, ulps=1, scale=lambda x: 1),
    Case("hardsigmoid_backward", lambda g, x: np.where((x > -3) & (x < 3), g / 6, 0), nin=2, ulps=1),
    Case("hardswish", lambda x: x * clip(x + 3, 0, 6) / 6, ulps=2, scale=lambda x: x),
    Case("hardswish_backward", lambda g, x: np.where(x <= -3, 0, g * np.where(x < 3, x / 3 + LD(0.5), 1)), nin=2,
         scale=lambda g, x: g * x),
    Case("mish", lambda x: x * mish_parts(x)[0], ulps=6),
    Case("mish_backward", lambda g, x: g * mish_slope(x), nin=2, ulps=6, scale=lambda g, x: g * x * mish_parts(x)[1]),
    Case("softshrink", lambda x, far: np.where(x > far, x - far, np.where(x < -far, x + far, x - x)), ulps=1,
         params=(0.75,)),
    Case("hardshrink", lambda x, far: np.where(abs(x) <= far, 0, x), ulps=0, params=(0.75,)),
    Case("shrink_backward", lambda g, x, far: np.where(abs(x) > far, g, 0), nin=2, ulps=0, params=(0.75,)),
    Case("nan_to_num", lambda x, *new: np.nan_to_num(x, nan=new[0], posinf=new[1], neginf=new[2]), ulps=0,
         params=(0.5, 8.0, -9.0)),
    Case("rsqrt", lambda x: 1 / np.sqrt(x)),
    Case("square", lambda x: x * x, ulps=0.5),
    Case("cube", lambda x: x * x * x, ulps=1.5),
    Case("sign", lambda x: np.where(x == x, np.sign(x), 0), ulps=0),
    Case("sin", np.sin, ulps=1.0, spread=100, dtypes=("float64",)),
    Case("cos", np.cos, ulps=1.0, spread=100, dtypes=("float64",)),
    Case("sigmoid_backward", lambda g, y: g * y * (1 - y), nin=2, ulps=3, scale=lambda g, y: g * y),
    Case("tanh_backward", lambda g, y: g * (1 - y * y), nin=2, ulps=3, scale=lambda g, y: g * y * y),
    Case("log_sigmoid_backward", lambda g, x: g * sigmoid(-x), nin=2, ulps=4),
    Case("silu_backward", lambda g, x: g * silu_slope(x), nin=2, ulps=5, scale=lambda g, x: g * x * sigmoid(x)),
    Case("relu_backward", lambda g, x: np.where(x <= 0, 0, g), nin=2, ulps=0),
    Case("threshold_backward", lambda g, x, t: np.where(x <= t, 0, g), nin=2, ulps=0, params=(1.5,)),
    Case("gelu_backward", lambda g, x: g * gelu_slope(x), nin=2, ulps=4,
         # exp(-x^2 / 2) may be denormal
         scale=lambda g, x: 20 * abs(g * x) * ((1 + x * x) * np.exp(-x * x / 2) + 1e-37) + abs(g) * cdf(x)),
    Case("gelu_tanh_backward", lambda g, x: g * gelu_tanh_slope(x), nin=2, ulps=4, spread=1,
         scale=lambda g, x: 8 * g * (1 + gelu_arg(x)) * (1 + x * x)),
    Case("softplus_backward", lambda g, x, b, t: np.where(x * b > t, g, g * sigmoid(x * b)), nin=2, ulps=4,
         params=(1.0, 20.0)),
    Case("maximum", np.maximum, nin=2, ulps=0),
    Case("minimum", np.minimum, nin=2, ulps=0),
    Case("lerp", lambda a, b, w: a + w * (b - a), nin=3, ulps=3,
         scale=lambda a, b, w: (1 + abs(w)) * (abs(a) + abs(b))),
    Case("addcmul", lambda a, b, c, v: a + v * b * c, nin=3, ulps=2, params=(0.5,), scale=lambda a, b, c, v: b * c),
    Case("addcdiv", lambda a, b, c, v: a + v * b / c, nin=3, ulps=2, params=(0.5,), scale=lambda a, b, c, v: b / c),
]
ROWS = [pytest.param(case, name, id=f"{case}{list(case.params) or ''}-{name}")
        for case in CASES for name in case.dtypes]


def inputs(case: Case, name: str, size: int) -> list[NDArray]:
    return [(values(name, size, seed=seed) * (case.spread / 4)).astype(name) for seed in range(case.nin)]


def run(case: Case, name: str, arrays: list[NDArray], layout: str = "contiguous") -> NDArray:
    out = output(arrays[0].size, name, layout)
    testing.pointwise(case.name, out, *arrays, params=case.params)
    return out


@pytest.mark.parametrize(("case", "name"), ROWS)
def test_value(case: Case, name: str, layout: str) -> None:
    arrays = [lay_out(array, layout) for array in inputs(case, name, 1500)]
    wide = [array.astype(np.longdouble) for array in arrays]
    got = run(case, name, arrays, layout)
    assert_close(got, case.oracle(*wide, *case.params), ulps=case.ulps, scale=case.scale(*wide, *case.params))


@pytest.mark.parametrize(("case", "name"), ROWS)
def test_layout_changes_nothing(case: Case, name: str, layout: str) -> None:
    if layout == "broadcast":
        arrays = [np.full(700, array[0]) for array in inputs(case, name, 700)]
    else:
        arrays = inputs(case, name, 700)
    strided = run(case, name, [lay_out(array, layout) for array in arrays], layout)
    np.testing.assert_array_equal(strided, run(case, name, arrays))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8, 15, 31, 257])
@pytest.mark.parametrize(("case", "name"), ROWS)
def test_sizes(case: Case, name: str, size: int) -> None:
    arrays = inputs(case, name, 300)
    out = output(300, name)
    testing.pointwise(case.name, out[:size], *[array[:size] for array in arrays], params=case.params)
    wide = [array[:size].astype(np.longdouble) for array in arrays]
    assert_close(out[:size], case.oracle(*wide, *case.params), ulps=case.ulps, scale=case.scale(*wide, *case.params))
    np.testing.assert_array_equal(out[size:], output(300 - size, name))


@pytest.mark.parametrize(("case", "name"), ROWS)
def test_output_may_be_the_first_input(case: Case, name: str) -> None:
    arrays = inputs(case, name, 1000)
    want = run(case, name, arrays)
    testing.pointwise(case.name, arrays[0], *arrays, params=case.params)
    np.testing.assert_array_equal(arrays[0], want)


NAN, INF = np.nan, np.inf
AT_SPECIAL = {                                          # at nan, inf, -inf, 0, -0
    "sigmoid": [NAN, 1, 0, 0.5, 0.5],
    "log_sigmoid": [NAN, 0, -INF, -math.log(2), -math.log(2)],
    "silu": [NAN, INF, NAN, 0, -0.0],
    "relu": [NAN, INF, 0, 0, -0.0],
    "gelu": [NAN, INF, NAN, 0, -0.0],
    "gelu_tanh": [NAN, INF, NAN, 0, -0.0],
    "exp": [NAN, INF, 0, 1, 1],
    "erf": [NAN, 1, -1, 0, -0.0],
    "erfc": [NAN, 0, 2, 1, 1],
    "lgamma": [NAN, INF, INF, INF, INF],
    "digamma": [NAN, INF, NAN, -INF, INF],
    "rsqrt": [NAN, 0, NAN, INF, -INF],
    "square": [NAN, INF, INF, 0, 0],
    "cube": [NAN, INF, -INF, 0, -0.0],
    "sign": [0, 1, -1, 0, 0],
    "sin": [NAN, NAN, NAN, 0, -0.0],
    "cos": [NAN, NAN, NAN, 1, 1],
}


@pytest.mark.parametrize(("case", "name"), [row for row in ROWS if str(row.values[0]) in AT_SPECIAL])
def test_special_values(case: Case, name: str) -> None:
    got = run(case, name, [np.array([NAN, INF, -INF, 0.0, -0.0] * 13, name)])
    want = np.array(AT_SPECIAL[case.name] * 13, name)
    np.testing.assert_array_equal(got, want)
    number = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(want[number]))


def test_softplus_at_special_values() -> None:
    out = output(3, "float64")
    testing.pointwise("softplus", out, np.array([NAN, INF, -INF]), params=(1.0, 20.0))
    np.testing.assert_array_equal(out, [NAN, INF, 0])


def test_nan_wins_maximum_and_minimum() -> None:
    a, b = np.array([NAN, 1, NAN, INF], np.float32), np.array([1, NAN, NAN, -INF], np.float32)
    for name, last in (("maximum", INF), ("minimum", -INF)):
        out = output(4, "float32")
        testing.pointwise(name, out, a, b)
        np.testing.assert_array_equal(out, [NAN, NAN, NAN, last])


@pytest.mark.parametrize(("name", "low", "high"), [("float32", -104.5, 90), ("float64", -746, 711)])
def test_exp_over_its_whole_range(name: str, low: float, high: float) -> None:
    x = np.linspace(low, high, 20001).astype(name)
    out = output(x.size, name)
    testing.pointwise("exp", out, x)
    assert_close(out, np.exp(x.astype(np.longdouble)), ulps=1.5)


@pytest.mark.parametrize(("name", "far"), [("float32", 88.5), ("float32", -95), ("float64", 709.5), ("float64", -745)])
def test_exp_does_not_depend_on_what_stands_beside(name: str, far: float) -> None:
    """Numbers whose results are denormal or infinite take another way, and with them those near to them."""
    x = np.random.default_rng(3).uniform(-80, 80, 2048).astype(name)
    alone, beside, again = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    testing.pointwise("exp", alone, x)
    for value in (far, np.inf, -np.inf, np.nan):
        mixed = x.copy()
        mixed[::200] = value
        testing.pointwise("exp", beside, mixed)
        near = mixed == x
        assert_same(beside[near], alone[near])
        for k in (0, 200):
            testing.pointwise("exp", again[:1], mixed[k : k + 1].copy())
            assert_same(again[:1], beside[k : k + 1])


@pytest.mark.parametrize(("name", "high"), [("float32", 10.1), ("float64", 27.3)])
def test_erfc_keeps_relative_accuracy_in_the_tail(name: str, high: float) -> None:
    x = np.linspace(-6, high, 20001).astype(name)
    out = output(x.size, name)
    testing.pointwise("erfc", out, x)
    assert_close(out, wide_erfc(x), ulps=4)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_erf_near_zero_and_one(name: str) -> None:
    x = np.concatenate([np.linspace(-1.2, 1.2, 10001), np.geomspace(1e-37, 1, 1000)]).astype(name)
    out = output(x.size, name)
    testing.pointwise("erf", out, x)
    assert_close(out, wide_erf(x), ulps=2)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_binary_cross_entropy_of_all_probabilities(name: str) -> None:
    tiny = np.geomspace(1e-44 if name == "float32" else 1e-320, 1e-3, 5000)
    x = np.concatenate([tiny, np.linspace(0.001, 0.999, 10001), 1 - tiny, [0, 1]]).astype(name)
    wide = x.astype(np.longdouble)
    with np.errstate(divide="ignore"):
        one, other = np.maximum(np.log(wide), -100), np.maximum(np.log1p(-wide), -100)
    for target in (0.0, 0.25, 1.0):
        out = output(x.size, name)
        testing.pointwise("binary_cross_entropy", out, x, np.full_like(x, target))
        sides = (1 - target) * -other, target * -one
        assert_close(out, sum(sides), ulps=3, scale=np.maximum(*sides))


def test_binary_cross_entropy_outside_of_probabilities_is_not_a_number() -> None:
    out = output(4, "float64")
    testing.pointwise("binary_cross_entropy", out, np.array([NAN, -0.5, 1.5, 0.5]), np.array([0.5, 0.5, 0.5, NAN]))
    assert np.isnan(out).all()


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sin_and_cos_next_to_multiples_of_half_pi(name: str) -> None:
    nearest = np.arange(63600, dtype=np.float64) * (np.pi / 2)
    x = np.concatenate([nearest, np.nextafter(nearest, np.inf), -nearest, np.linspace(-99999.0, 99999.0, 50001)])
    out = output(x.size, "float64")
    testing.pointwise(name, out, x)
    assert_close(out, np.vectorize(getattr(math, name))(x), ulps=1.0)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sin_and_cos_of_large_numbers_are_the_c_librarys(name: str) -> None:
    x = np.concatenate([np.linspace(0, 10, 300), [1e5, -1e22, 1e300], np.linspace(0, 10, 300)])
    out = output(x.size, "float64")
    testing.pointwise(name, out, x)
    assert_close(out, np.vectorize(getattr(math, name))(x), ulps=1.0)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_lerp_is_exact_at_the_ends(weight: float) -> None:
    a, b = values("float32", 100, seed=1), values("float32", 100, seed=2)
    out = output(100, "float32")
    testing.pointwise("lerp", out, a, b, np.full(100, weight, np.float32))
    np.testing.assert_array_equal(out, b if weight else a)


@pytest.mark.parametrize("name", DTYPES)
def test_where(name: str, layout: str) -> None:
    mask = lay_out(values("bool", 700), layout)
    a, b = lay_out(values(name, 700, seed=1), layout), lay_out(values(name, 700, seed=2), layout)
    out = output(700, name, layout)
    testing.pointwise("where", out, mask, a, b)
    assert_same(out, np.where(mask, a, b))


@pytest.mark.parametrize("name", DTYPES)
def test_masked_fill_is_where_with_a_broadcast_value(name: str) -> None:
    mask, x, value = values("bool", 700), values(name, 700), values(name, 1, seed=9)
    want = np.where(mask, value, x)
    testing.pointwise("where", x, mask, np.broadcast_to(value, 700), x)
    assert_same(x, want)


COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons(op: str, name: str, layout: str) -> None:
    grid = np.array(SPECIAL, np.float64).astype(dtype(name))
    a, b = lay_out(grid.repeat(len(SPECIAL)), layout), lay_out(np.tile(grid, len(SPECIAL)), layout)
    out = output(a.size, "bool", layout)
    testing.pointwise(op, out, a, b)
    np.testing.assert_array_equal(out, COMPARISONS[op](a.astype(np.float64), b.astype(np.float64)))


def test_unknown_names_and_dtypes_are_absent() -> None:
    assert testing.has_pointwise("gelu", "float32")
    assert not testing.has_pointwise("gelu", "int32")
    assert not testing.has_pointwise("nonsense", "float32")
