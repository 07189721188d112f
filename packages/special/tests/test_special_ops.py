"""Every row of the table: values, dtypes, layouts, out= and in-place variants, derivatives of both orders and modes.

The answers are SciPy's by another of its functions where it has one; PyTorch's are in tests/oracle.
"""

import numpy as np
import pytest
import scipy.special as sp
import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_engine.graph.formula import bind
from wengert_registry import registry
from wengert_special import derivatives
from wengert_special.table import TABLE, load
from wengert_testing.extend import (
    Fixed,
    OpCase,
    SimDevice,
    T,
    check_dtypes,
    check_gradients,
    check_inplace,
    check_strided,
    check_value,
    devices,
    fixed,
)

from .scipy_cases import CASES as SCIPY_CASES

load()
UNARY = [(T(),), (T(5),), (T(2, 3),), (T(0, 3),), (T(2, 1, 3),)]
PAIRS = [(T(), T()), (T(4), T(4)), (T(2, 3), T(3)), (T(2, 1), T(1, 3)), (T(0, 3), T(3)), (T(2, 3), 1.5)]
DEGREES = [(T(5), 3), (T(2, 3), np.array([0, 1, 4])), (T(), 6), (T(0), 2), (T(3), -1), (T(2, 1), 2.75)]
SHAPES = [(fixed([[0.5], [2.5]]), T(2, 3)), (fixed(1.5), T()), (fixed([0.75, 4.0]), T(3, 2)), (fixed(2.0), T(0))]
AWAY, POSITIVE, INSIDE, ALL = (0.3, 4.0), (0.2, 4.0), (0.05, 0.95), (-4.0, 4.0)


def series(order):
    """The modified Bessel function of the first kind by its power series."""
    return lambda x: sum((x / 2) ** (2 * k + order) / (sp.factorial(k) * sp.factorial(k + order)) for k in range(40))


def degree(f):
    """An oracle of a polynomial: n is cut to an integer, 0 for a negative one."""
    def value(x, n):
        n = np.trunc(np.asarray(n, float)).astype(int)
        return np.where(n < 0, 0.0, f(np.maximum(n, 0), np.asarray(x, float)))

    return value


def angle(f):
    """A Chebyshev polynomial by the angle whose cosine x is, for |x| < 1."""
    return degree(lambda n, x: f(n, np.arccos(x)))


def shift(f):
    return angle(lambda n, t: f(n, np.arccos(2 * np.cos(t) - 1)))


CHEBYSHEV = {
    "t": lambda n, t: np.cos(n * t),
    "u": lambda n, t: np.sin((n + 1) * t) / np.sin(t),
    "v": lambda n, t: np.cos((n + 0.5) * t) / np.cos(t / 2),
    "w": lambda n, t: np.sin((n + 0.5) * t) / np.sin(t / 2),
}
CASES = [
    OpCase("i0", series(0), UNARY, domain=ALL),
    OpCase("special.i0e", lambda x: series(0)(x) * np.exp(-np.abs(x)), UNARY, domain=ALL, kinks=(0,)),
    OpCase("special.i1", series(1), UNARY, domain=ALL),
    OpCase("special.i1e", lambda x: series(1)(x) * np.exp(-np.abs(x)), UNARY, domain=ALL, kinks=(0,)),
    *(OpCase(f"special.bessel_j{n}", lambda x, n=n: sp.jv(n, x), UNARY, domain=ALL) for n in (0, 1)),
    *(OpCase(f"special.bessel_y{n}", lambda x, n=n: sp.yv(n, x), UNARY, domain=AWAY) for n in (0, 1)),
    *(OpCase(f"special.modified_bessel_i{n}", series(n), UNARY, domain=ALL) for n in (0, 1)),
    *(OpCase(f"special.modified_bessel_k{n}", lambda x, n=n: sp.kv(n, x), UNARY, domain=AWAY) for n in (0, 1)),
    *(OpCase(f"special.scaled_modified_bessel_k{n}", lambda x, n=n: sp.kv(n, x) * np.exp(x), UNARY, domain=AWAY)
      for n in (0, 1)),
    OpCase("special.airy_ai", lambda x: np.sqrt(x / 3) / np.pi * sp.kv(1 / 3, 2 / 3 * x**1.5), UNARY, domain=AWAY),
    OpCase("special.spherical_bessel_j0", lambda x: np.sin(x) / x, UNARY, domain=AWAY),
    OpCase("_bessel", lambda x, kind, n: {"j": sp.jn, "i": sp.iv, "k": sp.kn, "y": sp.yn}[kind](n, x),
           [(T(4), kind, n) for kind in "jiky" for n in (0, 1, 2, 3)], domain=AWAY),
    OpCase("_bessel", lambda x, kind, n: sp.iv(n, x) * np.exp(-np.abs(x)), [(T(4), "ie", n) for n in (0, 1, 3)],
           domain=ALL, kinks=(0,)),
    OpCase("_bessel", lambda x, kind, n: sp.kn(n, x) * np.exp(x), [(T(4), "ke", n) for n in (0, 1, 3)], domain=AWAY),
    OpCase("_bessel", lambda x, kind, n: sp.jv(n + 0.5, x) * np.sqrt(np.pi / 2 / x),
           [(T(4), "spherical", n) for n in (0, 1, 3)], domain=AWAY),
    OpCase("_airy_ai_slope", lambda x: -x / np.pi / np.sqrt(3) * sp.kv(2 / 3, 2 / 3 * x**1.5), UNARY, domain=AWAY),
    OpCase("igamma", sp.gammainc, SHAPES, domain=POSITIVE),
    OpCase("igammac", sp.gammaincc, SHAPES, domain=POSITIVE),
    OpCase("special.zeta", lambda x, q: sum((q + k) ** -x for k in range(30000)),
           [(fixed([[4.0], [5.5]]), T(2, 3)), (5.0, T(4)), (fixed(4.5), T(0))], domain=POSITIVE, rtol=1e-11,
           dtypes=("float64",), note="the sum of the oracle is cut, and float32 would make it so much longer"),
    OpCase("_polygamma", lambda x, n: sp.polygamma(n, x), [(T(3), 0), (T(2, 3), 1), (T(), 2), (T(0), 1), (T(4), 4)],
           domain=POSITIVE),
    OpCase("polygamma", sp.polygamma, [(0, T(3)), (1, T(2, 3)), (2, T())], domain=POSITIVE),
    OpCase("special.erfcx", lambda x: np.exp(x * x) * sp.erfc(x), UNARY),
    OpCase("special.log_ndtr", lambda x: np.log(sp.ndtr(x)), UNARY),
    OpCase("special.ndtri", lambda p: -np.sqrt(2) * sp.erfcinv(2 * p), UNARY, domain=INSIDE),
    OpCase("special.entr", lambda x: -x * np.log(x), UNARY, domain=POSITIVE),
    OpCase("special.xlog1py", lambda x, y: x * np.log1p(y), PAIRS, domain=POSITIVE),
    *(OpCase(f"special.chebyshev_polynomial_{k}", angle(f), DEGREES, domain=(-0.9, 0.9)) for k, f in CHEBYSHEV.items()),
    *(OpCase(f"special.shifted_chebyshev_polynomial_{k}", shift(f), DEGREES, domain=INSIDE)
      for k, f in CHEBYSHEV.items()),
    OpCase("special.hermite_polynomial_h", degree(lambda n, x: 2 ** (n / 2) * sp.eval_hermitenorm(n, np.sqrt(2) * x)),
           DEGREES),
    OpCase("special.hermite_polynomial_he", degree(lambda n, x: 2 ** (-n / 2) * sp.eval_hermite(n, x / np.sqrt(2))),
           DEGREES),
    OpCase("special.laguerre_polynomial_l", degree(lambda n, x: sp.hyp1f1(-n, 1, x)), DEGREES, domain=POSITIVE),
    OpCase("special.legendre_polynomial_p", degree(lambda n, x: sp.hyp2f1(-n, n + 1, 1, (1 - x) / 2)), DEGREES),
    OpCase("_gegenbauer", lambda x, n, a: sp.eval_gegenbauer(n, a, x),
           [(T(4), 3, 1.5), (T(2, 3), 0, 2.0), (T(), 5, 2.0)]),
    OpCase("_genlaguerre", lambda x, n, a: sp.eval_genlaguerre(n, a, x), [(T(4), 3, 1.0), (T(), 5, 2.0)]),
]
IDS = [f"{case.op}-{k}" for k, case in enumerate(CASES)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_values_layouts_and_variants(case):
    for sample in case.samples("float64"):
        check_value(case, sample)
        check_strided(case, sample)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_every_dtype(case):
    check_dtypes(case)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_reverse_forward_and_second_order(case):
    for sample in case.samples("float64"):
        check_gradients(case, sample)
        if not isinstance(sample.args[0], Fixed):
            check_inplace(case, sample)


@pytest.fixture
def sim():
    """The simulated device, registered where wengert-testing is not installed."""
    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice, owner="packages/special/tests"):
        yield


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_on_a_device(case, sim):
    devices.check_values(case, "sim")
    devices.check_gradients(case, "sim")


def test_a_device_without_such_functions_says_so(sim, monkeypatch):
    monkeypatch.setattr(SimDevice, "special", None)
    with pytest.raises(NotImplementedError, match=r"devices of type 'sim' have no function like scipy\.special\.i0e"):
        TABLE.ops["special.i0e"](wc.ones(2, device="sim"))


OPS = {name: op for name, op in TABLE.ops.items() if isinstance(op, Op)}


def test_every_op_has_a_sample():
    names = {name for name in TABLE.ops if not name.endswith("_")}
    aliases = {"special.i0", "special.gammainc", "special.gammaincc", "special.polygamma"}
    assert names - {case.op for case in (*CASES, *SCIPY_CASES)} - aliases == set()


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_has_a_formula_that_fits_and_a_line_of_documentation(name):
    op = OPS[name]
    assert bind(op) is not None
    assert (op.out_of_place or op).name in derivatives.load().entries
    assert len(op.doc) > 3
