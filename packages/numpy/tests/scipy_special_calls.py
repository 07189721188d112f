"""A call of each ufunc of scipy.special that tensors have; what varies is differentiated by."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
from wengert_numpy.ufuncs import scipy_ufuncs

from .numpy_calls import Call, of, varying

ROW, COLUMN = varying(1, 3), varying(2, 1, seed=1)
P = varying(2, 3, low=0.1, high=0.9)
SIGNED = varying(2, 3, low=-1.6, high=1.5)
INSIDE = varying(2, 3, low=-0.8, high=0.8)
X = varying(2, 3)
Z = of([0.5 + 0.3j, -0.4 + 1.1j])
DEGREES = np.array([[0], [3]])

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys("""cbrt cosm1 exprel log_expit exp2 exp10 expm1 erf erfc erfcx erfi dawsn expit i0 i0e i1 i1e ndtr
        log_ndtr j0 j1 fresnel airy wrightomega sindg cosdg tandg""".split(), (SIGNED,)),
    **dict.fromkeys("""gamma rgamma loggamma gammaln gammasgn psi digamma exp1 expi sici shichi spence entr log1p y0 y1
        k0 k0e k1 k1e ellipkm1 airye cotdg""".split(), (X,)),
    **dict.fromkeys("ellipk ellipe erfinv".split(), (INSIDE,)),
    **dict.fromkeys("logit ndtri erfcinv".split(), (P,)),
    "ndtri_exp": (varying(2, 3, low=-9, high=-0.2),), "zetac": (varying(2, 3, low=1.5, high=4),),
    "_riemann_zeta": (varying(2, 3, low=1.5, high=4),), "round": (SIGNED,), "wofz": (Z,),
    **dict.fromkeys("""beta betaln binom poch xlogy xlog1py powm1 boxcox boxcox1p inv_boxcox inv_boxcox1p huber
        pseudo_huber kl_div rel_entr gammainc gammaincc chdtr chdtrc elliprc owens_t stdtr""".split(), (COLUMN, ROW)),
    **dict.fromkeys("gammaincinv gammainccinv chdtri stdtrit".split(), (COLUMN, P)),
    "radian": (X, 2.0, ROW), "_zeta": (3.5, X), "ellipkinc": (SIGNED, varying(3, low=0.1, high=0.4)),
    "ellipeinc": (SIGNED, 0.3), "elliprf": (COLUMN, ROW, 2.0), "elliprd": (COLUMN, ROW, 2.0),
    "elliprg": (COLUMN, ROW, 2),
    **dict.fromkeys("betainc betaincc betaincinv betainccinv".split(), (COLUMN, ROW, P)),
    **dict.fromkeys("bdtr bdtrc bdtri nbdtr nbdtrc nbdtri".split(), (np.array([[1], [2]]), 5, P)),
    **dict.fromkeys("pdtr pdtrc".split(), (DEGREES, X)), "pdtri": (DEGREES, P),
    **dict.fromkeys("gdtr gdtrc fdtr fdtrc".split(), (COLUMN, ROW, X)),
    "gdtria": (P, COLUMN, X), "gdtrib": (COLUMN, P, X), "gdtrix": (COLUMN, ROW, P), "fdtri": (COLUMN, ROW, P),
    **dict.fromkeys("""jv jn jve yv yve iv ive kv kve struve modstruve hankel1 hankel1e hankel2
        hankel2e""".split(), (1.5, X)),
    **dict.fromkeys("kn yn expn".split(), (DEGREES, X)),
    "hyp0f1": (1.5, SIGNED), "hyp1f1": (1.5, np.array([[0.5], [2.5]]), SIGNED), "hyp2f1": (1, 0.5, 2.5, INSIDE),
    "hyperu": (1.5, 0.5, X), "lpmv": (1, 2.5, INSIDE), "_lambertw": (Z, 0, 1e-8),
    "eval_jacobi": (DEGREES, 0.5, 1.5, INSIDE), "eval_sh_jacobi": (DEGREES, 2.5, 1.5, P),
    "eval_gegenbauer": (DEGREES, 0.75, INSIDE), "eval_genlaguerre": (DEGREES, 0.5, X),
}
for _name in scipy_ufuncs.NAMES:
    if _name.startswith("eval_"):
        ARGUMENTS.setdefault(_name, (DEGREES, P))


def function_of(name: str) -> Any:
    """Return what a user calls for a ufunc."""
    return getattr(sp, name.lstrip("_").removeprefix("riemann_"))


CALLS = [Call(name, *arguments, function=function_of(name)) for name, arguments in ARGUMENTS.items()
         if scipy_ufuncs.scipy_ufunc(name) is not None]
"""A call for each."""
