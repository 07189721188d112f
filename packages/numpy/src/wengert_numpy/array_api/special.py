"""The namespace's extension ``special``: SciPy's special functions on tensors, recorded, with derivatives.

SciPy asks a namespace for ``special.NAME`` before it converts arrays to NumPy's; with SCIPY_ARRAY_API=1 everything that
is made of its special functions differentiates thereby. All names that SciPy looks for are here, and the other special
functions that tensors have. Arguments are tensors, arrays and numbers; dtypes are SciPy's, float64 for integers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.operands import inexact, to_tensor
from wengert_numpy.ufuncs import rows as ufuncs
from wengert_numpy.ufuncs import scipy_ufuncs
from wengert_numpy.ufuncs.general import call

__all__ = ["multigammaln", "polygamma", "sinc", "zeta"]


def elementwise(name: str) -> Callable[..., Any]:
    """Return a ufunc of SciPy as a function of the namespace."""
    ufunc = scipy_ufuncs.scipy_ufunc(name)

    def function(*arrays: Any) -> Any:
        row = ufuncs.row_of(ufunc)
        assert row is not None
        if len(arrays) != ufunc.nin:
            raise TypeError(f"{name}() takes {ufunc.nin} positional arguments but {len(arrays)} were given")
        return call(row, ufunc, arrays)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "wengert.array_api.special"
    function.__doc__ = f"Return scipy.special.{name} of tensors, arrays and numbers."
    return function


for _name in scipy_ufuncs.NAMES:
    if not _name.startswith("_") and scipy_ufuncs.scipy_ufunc(_name) is not None:
        globals()[_name] = elementwise(_name)
        __all__ += [_name]
_zeta, _riemann_zeta = elementwise("_zeta"), elementwise("_riemann_zeta")


def zeta(x: Any, q: Any = None) -> Tensor:
    """Return Hurwitz's zeta function of x and q, Riemann's where q is None."""
    result: Tensor = _riemann_zeta(x) if q is None else _zeta(x, q)
    return result


def sinc(x: Any) -> Tensor:
    """Return sin(pi x) / (pi x), and 1 where x is 0."""
    return wg.sinc(inexact(to_tensor(x, "sinc", "x")))


def multigammaln(a: Any, d: Any) -> Tensor:
    """Return the logarithm of the multivariate gamma function of d dims, NaN for a <= (d - 1) / 2.

    ValueError unless d is an integer.
    """
    count = float(d)
    if count != math.floor(count):
        raise ValueError("d should be a positive integer (dimension)")
    x = inexact(to_tensor(a, "multigammaln", "a"))
    total = sum((wg.lgamma(x - j / 2) for j in range(int(count))), wg.zeros_like(x))
    inside = x > 0.5 * (count - 1)
    return wg.where(inside, total + count * (count - 1) / 4 * math.log(math.pi), math.nan)


def polygamma(n: Any, x: Any) -> Any:
    """Return the n-th derivative of digamma; n, integers, are constants and may be an array."""
    x = inexact(to_tensor(x, "polygamma", "x"))
    orders = to_tensor(n, "polygamma", "n")
    if orders.numel() == 1:
        order = operator.index(int(orders))
        return wg.broadcast_to(wg.polygamma(order, x), wg.broadcast_shapes(orders.shape, x.shape))
    orders = orders.detach().to(x.dtype)
    sign = wg.where(orders % 2 == 0, -1.0, 1.0).to(x.dtype)
    higher = sign * wg.special.gamma(orders + 1) * wg.special.zeta(wg.clamp(orders, min=1) + 1, x)
    return wg.where(orders == 0, wg.digamma(x), higher)
