"""Calls of the functions that have SciPy's names. Answers are SciPy's; numbers stand for parameters."""

import numpy as np
import scipy.special as sp
from wengert_testing.extend import OpCase, T, fixed

UNARY = [(T(),), (T(5),), (T(2, 3),), (T(0, 3),)]
PAIRS = [(T(), T()), (T(4), T(4)), (T(2, 1), T(1, 3)), (T(0, 3), T(3)), (T(3), 0.75), (1.5, T(3))]
ALL, POSITIVE, INSIDE = (-3.0, 3.0), (0.2, 4.0), (0.05, 0.95)
COUNTS = np.array([[0], [2]])
P = T(2, 3, domain=INSIDE)
A, B = T(2, 1, domain=(0.3, 4.0)), T(3, domain=(0.4, 5.0))


def case(name, inputs, domain=POSITIVE, oracle=None, **settings):
    """A row whose oracle is SciPy's function of the same name."""
    return OpCase(f"special.{name}", oracle or getattr(sp, name), inputs, domain=domain, **settings)


def result_of(function, place):
    """One of several results of SciPy's function."""
    return lambda *arguments: function(*arguments)[place]


def polynomial(name, *parameters, domain=(-0.9, 0.9), **settings):
    """A polynomial of integer degrees, and of a real one."""
    degrees = [(3, *parameters, T(4)), (np.array([[0], [1], [4]]), *parameters, T(3)), (0, *parameters, T())]
    real = [] if "hermite" in name else [(2.5, *parameters, T(3))]
    return case(f"eval_{name}", degrees + real, domain, **settings)


ELEMENTARY = [
    case("cbrt", UNARY, ALL, kinks=(0,)), case("cosm1", UNARY, ALL), case("exp10", UNARY, (-2, 2)),
    case("exprel", [*UNARY, (np.array([0.0, 1e-9, -30.0, 30.0]),)], ALL), case("log_expit", UNARY, (-30, 30)),
    case("sindg", UNARY, (-400, 400)), case("cosdg", UNARY, (-400, 400)), case("tandg", UNARY, (-80, 80)),
    case("cotdg", UNARY, (10, 170)),
    case("powm1", PAIRS), case("radian", [(T(3), T(2, 1), T()), (T(2), 2.0, 3.0)]),
    case("boxcox", [*PAIRS, (T(3), np.array([0.0, 1e-9, -2.0]))], note="also where the power is 0"),
    case("boxcox1p", [*PAIRS, (T(3), np.array([0.0, 1e-9, -2.0]))]),
    case("inv_boxcox", [*PAIRS, (T(3), np.array([0.0, 1e-9, 2.0]))]),
    case("inv_boxcox1p", [*PAIRS, (T(3), np.array([0.0, 1e-9, 2.0]))]),
    case("huber", [(T(3, domain=(0.2, 0.9)), T(3, domain=(-3, 3))), (1.5, T(5)), (2.0, T(0))], (-5, 5),
         kinks=(1.5, -1.5)),
    case("pseudo_huber", PAIRS), case("kl_div", PAIRS), case("rel_entr", PAIRS),
]
FACTORIALS = [
    case("gamma", [*UNARY, (np.array([-1.5, -0.3]),)]),
    case("rgamma", [*UNARY, (np.array([-3.0, -1.5, 0.0, -7.0, 170.0]),)], ALL), case("loggamma", UNARY),
    case("gammasgn", UNARY, (-3, 4), kinks=(0, -1, -2, -3)), case("beta", PAIRS), case("betaln", PAIRS),
    case("binom", [*PAIRS, (np.array([5.0, 3.0, 2.5]), np.array([2.0, 5.0, 4.0]))]),
    case("poch", [*PAIRS, (np.array([0.0, -2.0]), T(2))]),
    case("zetac", [*UNARY, (np.array([-3.5, -0.5, 0.0]),)], (1.5, 6)),
    OpCase("_riemann_zeta", sp.zeta, UNARY, domain=(1.5, 6)),
    OpCase("_zeta_slope", lambda x, n: sum((-np.log(k)) ** n * k**-x for k in range(1, 3000)), [(T(3), 1), (T(2), 2)],
           domain=(8.0, 12.0)),
]
INCOMPLETE = [
    OpCase("_gammainc", sp.gammainc, PAIRS, domain=POSITIVE),
    OpCase("_gammaincc", sp.gammaincc, PAIRS, domain=POSITIVE),
    case("gammaincinv", [(A, P), (2.0, P), (T(3), 0.25)]), case("gammainccinv", [(A, P), (2.0, P), (T(3), 0.25)]),
    case("betainc", [(A, B, P), (2.0, 3, P), (T(2), T(2), 0.3)]),
    case("betaincc", [(A, B, P), (2.0, 3, P), (T(2), T(2), 0.3)]),
    case("betaincinv", [(A, B, P), (2.0, 3, P)]), case("betainccinv", [(A, B, P), (2.0, 3, P)]),
    OpCase("_gamma_moment", None, [(T(2, 1), T(3), 0), (T(2, 1), T(3), 1), (T(2, 1), T(3), 2)], domain=POSITIVE,
           note="an integral that is in no library; its derivatives are compared with the function's"),
    OpCase("_beta_moment", None, [(A, B, T(3), 1, 0), (A, B, T(3), 0, 1), (A, B, T(3), 1, 1)], domain=POSITIVE,
           note="as _gamma_moment"),
]
DISTRIBUTIONS = [
    case("bdtr", [(COUNTS, 5, P), (1.5, 4, T(3))], INSIDE), case("bdtrc", [(COUNTS, 5, P)]),
    case("bdtri", [(COUNTS, 5, P)]), case("nbdtr", [(COUNTS, 5, P)]), case("nbdtrc", [(COUNTS, 5, P)]),
    case("nbdtri", [(COUNTS, 5, P)]),
    case("pdtr", [(COUNTS, T(3)), (1.5, T(2))]), case("pdtrc", [(COUNTS, T(3)), (1.5, T(2))]),
    case("pdtri", [(COUNTS, P)]),
    case("gdtr", [(T(2, 1), T(3), T()), (1.5, 2.0, T(3))]), case("gdtrc", [(T(2, 1), T(3), T()), (1.5, 2.0, T(3))]),
    case("gdtria", [(P, T(2, 1), T(3)), (0.3, 2.0, T(3))]),
    case("gdtrib", [(T(2, 1), P, T(3)), (2.0, 0.3, T(3))]),
    case("gdtrix", [(T(2, 1), T(3), P), (2.0, 1.5, P)]),
    case("chdtr", PAIRS), case("chdtrc", PAIRS), case("chdtri", [(A, P), (2, P)]),
    case("fdtr", [(A, B, T(3)), (2, 5, T(3))]), case("fdtrc", [(A, B, T(3)), (2, 5, T(3))]),
    case("fdtri", [(A, B, P), (2, 5, P)]),
    case("stdtr", [(T(2, 1, domain=POSITIVE), T(3, domain=(-3, 3))), (5, T(3))], (-3, 3)),
    case("stdtrit", [(A, P), (5, P)]), case("owens_t", PAIRS, ALL),
    case("ndtri_exp", UNARY, (-20, -0.1)),
]
PARTS = {"fresnel": ("_fresnel_s", "_fresnel_c"), "sici": ("_si", "_ci"), "shichi": ("_shi", "_chi")}
INTEGRALS = [
    case("erfcinv", UNARY, (0.1, 1.9)), case("erfi", UNARY, (-2, 2)), case("dawsn", UNARY, (-4, 4)),
    case("expi", UNARY), case("exp1", UNARY), case("expn", [(2, T(3)), (np.array([[0], [1], [3]]), T(3)), (1, T())]),
    case("spence", [*UNARY, (np.array([1.0, 1.0001]),)]),
    case("wofz", [(T(3, dtype="complex128"),), (T(2, 2, dtype="complex128"),)], (-1, 2), dtypes=("complex128",)),
    case("fresnel", UNARY, (-2, 2)), case("sici", UNARY), case("shichi", UNARY),
    *(OpCase(op, result_of(getattr(sp, name), place), UNARY, domain=POSITIVE)
      for name, ops in PARTS.items() for place, op in enumerate(ops)),
]
SIDES = [(T(2, 1), T(3), T()), (T(3), 1.0, 2.0), (0.5, T(2), 0.0)]
ELLIPTIC = [
    case("ellipk", [*UNARY, (np.array([0.0, -5.0, 1e-9]),)], (-2, 0.95)), case("ellipkm1", UNARY, (0.05, 2)),
    case("ellipe", [*UNARY, (np.array([0.0, -5.0, 1e-9]),)], (-2, 0.95)),
    case("ellipkinc", [(T(2, 1, domain=(-1.5, 1.5)), T(3)), (T(4, domain=(-6, 6)), 0.4), (0.7, T(3)), (5.0, T(2))],
         (-1, 0.9), kinks=(np.pi / 2, -np.pi / 2, 1.5 * np.pi, -1.5 * np.pi)),
    case("ellipeinc", [(T(2, 1, domain=(-1.5, 1.5)), T(3)), (T(4, domain=(-6, 6)), 0.4), (0.7, T(3)), (5.0, T(2))],
         (-1, 0.9)),
    case("elliprc", [(T(2, 1), T(3)), (T(2), -1.5), (0.5, np.array([0.5, 2.0]))]),
    case("elliprf", SIDES), case("elliprd", [(T(2, 1), T(3), T()), (T(3), 1.0, 2.0), (1.0, T(2), 2.0)]),
    case("elliprg", [(T(2, 1), T(3), T()), (T(3), 1.0, 2.0)]),
    OpCase("_carlson", lambda x, y, z, i, j, k: 2 / 3 * sp.elliprd(x, y, z) if k else 2 * sp.elliprf(x, y, z),
           [(T(2, 1), T(3), T(), 0, 0, 0), (T(3), 1.0, 2.0, 0, 0, 1)], domain=POSITIVE),
]
ORDERS = [(0, T(3)), (1.5, T(2, 2)), (np.array([[0], [1], [3]]), T(3)), (2.25, T())]
COMPLEX = [(1.5, T(3, dtype="complex128")), (0, T(2, dtype="complex128"))]
CYLINDER = [
    *(case(name, ORDERS + COMPLEX)
      for name in ("jv", "yv", "iv", "kv", "kve")),
    *(case(name, ORDERS) for name in ("jve", "yve", "ive", "struve", "modstruve")),
    *(case(name, [(0, T(3)), (np.array([[0], [1], [3]]), T(3))]) for name in ("yn", "kn")),
    *(case(name, ORDERS[:2] + COMPLEX) for name in ("hankel1", "hankel2", "hankel1e", "hankel2e")),
    *(OpCase(f"_{name}", getattr(sp, name), COMPLEX, domain=POSITIVE, dtypes=("complex128",))
      for name in ("hankel1", "hankel2", "hankel1e", "hankel2e")),
    case("airy", UNARY, ALL), case("airye", UNARY),
    *(OpCase(f"_{name}_{part}", result_of(getattr(sp, name), place), UNARY, domain=ALL if name == "airy" else POSITIVE)
      for name in ("airy", "airye") for place, part in enumerate(("a", "a_slope", "b", "b_slope"))),
]
HYPERGEOMETRIC = [
    case("hyp0f1", [(1.5, T(3)), (fixed([0.5, 2.0]), T(2, 1)), (2.0, T(2, dtype="complex128"))], ALL,
         dtypes=("float64",)),
    case("hyp1f1", [(1.5, 2, T(3)), (0.5, fixed([0.5, 2.0]), T(2, 1)), (1.0, 2.0, T(2, dtype="complex128"))], ALL,
         dtypes=("float64",)),
    case("hyp2f1", [(1.5, 2, 2.5, T(3)), (0.5, fixed([0.5, 2.0]), 1.0, T(2, 1)),
                    (1.0, 2.0, 0.5, T(2, dtype="complex128"))], (-0.6, 0.6), dtypes=("float64",)),
    case("hyperu", [(1.5, 2, T(3)), (0.5, 0.25, T(2, 1))]),
    OpCase("_lambertw", lambda z, k, tol: sp.lambertw(z, k), [(T(3, dtype="complex128"), 0, 1e-8),
                                                              (T(2, 2, dtype="complex128"), -1, 1e-8)],
           dtypes=("complex128",)),
    case("wrightomega", [*UNARY, (T(3, dtype="complex128"),)], ALL),
]
POLYNOMIALS = [
    polynomial("jacobi", 0.5, 1.5), polynomial("sh_jacobi", 2.5, 1.5, domain=INSIDE),
    polynomial("gegenbauer", 0.75), polynomial("chebyt"), polynomial("chebyu"),
    polynomial("chebyc"), polynomial("chebys"),
    polynomial("sh_chebyt", domain=INSIDE), polynomial("sh_chebyu", domain=INSIDE),
    polynomial("legendre"), polynomial("sh_legendre", domain=INSIDE),
    polynomial("laguerre", domain=POSITIVE), polynomial("genlaguerre", 0.5, domain=POSITIVE),
    polynomial("hermite"), polynomial("hermitenorm"),
    case("lpmv", [(0, 2.5, T(3)), (fixed([[0], [1]]), 3.0, T(2))], (-0.9, 0.9)),
]
CASES = [*ELEMENTARY, *FACTORIALS, *INCOMPLETE, *DISTRIBUTIONS, *INTEGRALS, *ELLIPTIC, *CYLINDER, *HYPERGEOMETRIC,
         *POLYNOMIALS]
