"""Calls of scipy.special's functions that are no ufuncs, and of some that are: scipy_special_calls has all of them."""

from __future__ import annotations

from typing import Any

from scipy import special

from .client_calls import ClientCall, constant
from .numpy_calls import of, varying


def call(name: str, *args: Any, **kwargs: Any) -> ClientCall:
    """Return a call of a function of scipy.special."""
    return ClientCall(name, getattr(special, name), *args, **kwargs)


X = varying(5, seed=1)
TABLE = varying(3, 4, seed=2)

CALLS = [
    *(call(name, X) for name in
      """cbrt cosdg cosm1 cotdg digamma ellipkm1 entr erf erfc erfcx erfinv exp1 exp10 exp2 expi expit exprel
      gamma gammaln i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e log_ndtr loggamma ndtr rgamma sinc sindg spence tandg y0 y1
      zetac""".split() if name not in ("erfinv", "ellipkm1")),
    *(call(name, varying(5, low=0.1, high=0.9)) for name in ("erfinv", "ellipk", "ellipkm1", "logit", "ndtri")),
    call("betainc", X, 2.0, of(0.3)), call("betainc", 1.5, 2, varying(5, low=0.1, high=0.9)),
    call("betaincc", X, 2.0, of(0.3)), call("betaincinv", X, 2.0, of(0.3)), call("betaln", X, 2.0),
    call("stdtr", 5, X), call("stdtr", X, 0.3), call("stdtrit", 5.0, of([0.3, 0.8])), call("chdtr", 3, X),
    call("chdtrc", X, 2.0), call("chdtri", 3.0, of([0.3, 0.8])), call("fdtr", 3, 4.5, X), call("fdtrc", 3, 4.5, X),
    call("fdtri", 3, 4.5, of([0.3, 0.8])), call("gdtr", 1.2, 2.0, X), call("gdtrc", X, 2.0, 1.1),
    call("gammainc", X, 0.7), call("gammainc", 2.0, X), call("gammaincc", X, 0.7), call("gammaincinv", X, 0.4),
    call("gammainccinv", 2.0, of([0.3, 0.8])), call("xlogy", X, 0.7), call("xlog1py", 0.3, X), call("rel_entr", X, 0.5),
    call("kl_div", X, 0.5), call("boxcox", X, 0.4), call("boxcox1p", X, 0.4), call("inv_boxcox", X, 0.4),
    call("huber", 0.8, X), call("pseudo_huber", 0.8, X), call("poch", X, 1.5), call("binom", 5.0, X),
    call("hyp1f1", 1.5, 2.5, X), call("expn", 2, X), call("radian", X, 3.0, 4.0), call("gammasgn", X),
    call("zeta", 2.5, X), call("zeta", of([2.5, 3.0])), call("polygamma", 1, X),
    call("multigammaln", varying(3, low=2), 3),
    call("logsumexp", TABLE), call("logsumexp", TABLE, axis=1, keepdims=True),
    call("logsumexp", TABLE, b=of([1.0, 0.5, 2, 3]), mutates=True),
    call("logsumexp", TABLE, b=constant([1.0, 0, 2, 3]), mutates=True),
    call("logsumexp", TABLE, b=of([1.0, -1, 2, 3]), axis=1, return_sign=True, mutates=True),
    call("softmax", TABLE), call("softmax", TABLE, axis=1), call("log_softmax", TABLE, axis=0, mutates=True),
    call("log_softmax", X, mutates=True),
]
