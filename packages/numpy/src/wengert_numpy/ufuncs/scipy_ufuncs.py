"""SciPy's special functions that are ufuncs, on tensors: the operation of wengert-special or of core that each is.

>>> import scipy.special, wengert as wg
>>> x = wg.tensor([1.0, 2.0], requires_grad=True)
>>> scipy.special.betainc(2.0, 3.0, x / 4).sum().backward()
>>> x.grad
tensor([0.4219, 0.3750])
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor
from wengert_core.extend import find_op

from wengert_numpy import errors
from wengert_numpy.ufuncs import rows as ufuncs

SAME_NAME = """
    airy airye bdtr bdtrc bdtri beta betainc betaincc betainccinv betaincinv betaln binom boxcox boxcox1p cbrt chdtr
    chdtrc chdtri cosdg cosm1 cotdg dawsn ellipe ellipeinc ellipk ellipkinc ellipkm1 elliprc elliprd elliprf elliprg
    entr erf erfc erfcinv erfcx erfi erfinv eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_gegenbauer
    eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi eval_laguerre eval_legendre eval_sh_chebyt
    eval_sh_chebyu eval_sh_jacobi eval_sh_legendre exp1 exp10 exp2 expi expit expm1 expn exprel fdtr fdtrc fdtri
    fresnel gamma gammaincc gammainccinv gammaincinv gammaln gammasgn gdtr gdtrc gdtria gdtrib gdtrix hankel1 hankel1e
    hankel2 hankel2e huber hyp0f1 hyp1f1 hyp2f1 hyperu i0 i0e i1 i1e inv_boxcox inv_boxcox1p iv ive jv jve kl_div kn kv
    kve log1p log_expit log_ndtr loggamma logit lpmv modstruve nbdtr nbdtrc nbdtri ndtr ndtri ndtri_exp owens_t pdtr
    pdtrc pdtri poch powm1 pseudo_huber psi digamma radian rel_entr rgamma round shichi sici sindg spence stdtr stdtrit
    struve tandg wofz wrightomega xlog1py xlogy yn yv yve zetac
""".split()
"""Functions that ``wengert.special`` has under SciPy's names."""
OTHER_NAME = {
    "j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1", "jn": "jv",
    "k0": "modified_bessel_k0", "k1": "modified_bessel_k1", "k0e": "scaled_modified_bessel_k0",
    "k1e": "scaled_modified_bessel_k1", "_zeta": "zeta",
}
"""Functions that ``wengert.special`` has under PyTorch's names; those of SciPy's functions that are no ufuncs, but call
one, begin with an underscore.
"""
INTERNAL = {
    "gammainc": "_gammainc", "gammaincc": "_gammaincc", "_riemann_zeta": "_riemann_zeta", "_lambertw": "_lambertw",
}
"""Functions that are internal operations. The gammainc and gammaincc of ``wengert.special`` are PyTorch's, which have
no derivative by the shape.
"""
HALF = (wg.float16, wg.bfloat16)


def scipy_ufunc(name: str) -> Any:
    """Return a ufunc of SciPy; None where this version has none. With SCIPY_ARRAY_API=1 a wrapper has the name."""
    module = import_module("scipy.special._ufuncs" if name.startswith("_") else "scipy.special")
    found = getattr(module, name, None)
    while found is not None and not isinstance(found, np.ufunc):
        found = getattr(found, "__wrapped__", None)
    return found


def operation(name: str) -> Callable[..., Any]:
    """Return the operation that a function of SciPy is."""
    found: Callable[..., Any]
    if name in INTERNAL:
        found = find_op(INTERNAL[name])
    else:
        found = getattr(wg.special, OTHER_NAME.get(name, name))
    return found


def on_tensors(name: str) -> Callable[..., Any]:
    """Return a function of SciPy on tensors of its loop's dtypes: 16 bits are computed in 32.

    TypeError for complex numbers where the operation has none.
    """
    op = operation(name)

    def run(*tensors: Tensor) -> Any:
        try:
            return op(*(t.to(wg.float32) if t.dtype in HALF else t for t in tensors))
        except NotImplementedError as error:
            if any(t.dtype.is_complex for t in tensors):
                hint = "complex ones have no such operation; call it on x.detach().numpy() if no derivative is needed"
                raise errors.unsupported_function(f"scipy.special.{name.lstrip('_')}", hint) from error
            raise

    run.__name__ = name
    return run


NAMES = (*SAME_NAME, *OTHER_NAME, *INTERNAL)
"""The names of all ufuncs here."""


def enter() -> None:
    """Fill the table of ufuncs with SciPy's."""
    for name in NAMES:
        if (ufunc := scipy_ufunc(name)) is not None:
            ufuncs.ROWS[ufunc] = ufuncs.Row(on_tensors(name))
