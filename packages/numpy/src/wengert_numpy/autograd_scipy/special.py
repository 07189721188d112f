"""``wengert.scipy.special``: SciPy's special functions on tensors, in differentiated code, and on arrays.

Its ufuncs take tensors by themselves; the functions that are made of several are here.

>>> import wengert as wg
>>> x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
>>> logsumexp(x).backward()
>>> x.grad
tensor([0.2689, 0.7311], dtype=torch.float64)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.array_api import special as _extension
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors, names_of
from wengert_numpy.operands import axis_list, write_out
from wengert_numpy.ufuncs import scipy_ufuncs

_special = import_module("scipy.special")


def ufunc_or_wrapper(name: str, value: Any) -> Any:
    """Return the ufunc that a function is; with SCIPY_ARRAY_API=1 SciPy has a wrapper in its place."""
    return scipy_ufuncs.scipy_ufunc(name) or value if name in scipy_ufuncs.NAMES else value


@for_tensors(_special.logsumexp)
def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """Return the logarithm of the sum of b * exp(a) over axes; with return_sign that of its modulus, and its sign."""
    operands = floating(a, name="logsumexp") if b is None else floating(a, b, name="logsumexp")
    a, b = (operands[0], None) if b is None else wg.broadcast_tensors(*operands)
    axes = axis_list(axis, a.ndim)
    if not axes:  # the sum of one term
        a, b, axes, keepdims = a.unsqueeze(-1), None if b is None else b.unsqueeze(-1), [a.ndim], False
    if b is None and not return_sign and not a.is_complex():
        return wg.logsumexp(a, dim=axes, keepdim=keepdims)
    largest, total = shifted_sum(a, b, axes)
    if total.is_complex() and not return_sign:
        results = [largest + wg.log(total)]
    else:
        results = [largest + wg.log(wg.abs(total)), wg.sgn(total)]
    if not keepdims:
        results = [one.squeeze(axes) for one in results]
    if return_sign:
        return tuple(results)
    return results[0] if len(results) == 1 else wg.where(results[1] < 0, wg.nan, results[0])


OVERFLOW = 80
"""An exponent that is too large for no dtype."""


def shifted_sum(a: Tensor, b: Tensor | None, axes: list[int]) -> tuple[Tensor, Tensor]:
    """Return the largest exponents and the sum of b * exp(a - largest), over axes, which are kept."""
    real = a.real if a.is_complex() else a
    if b is not None:
        real = wg.where(b == 0, -wg.inf, real)
    largest = wg.amax(real, dim=axes, keepdim=True)
    largest = wg.where(wg.isfinite(largest), largest, 0)
    exponents = a - largest
    if b is None:
        return largest, wg.sum(wg.exp(exponents), dim=axes, keepdim=True)
    if not a.is_complex():  # a term that is zero stays so, however large its exponent
        exponents = wg.where((b == 0) & (exponents > OVERFLOW), 0, exponents)
    return largest, wg.sum(b * wg.exp(exponents), dim=axes, keepdim=True)


@for_tensors(_special.softmax)
def softmax(x: Any, axis: Any = None) -> Any:
    """Return exp(x) divided by its sum over axes."""
    return wg.exp(log_softmax.on_tensors(x, axis))


@for_tensors(_special.log_softmax)
def log_softmax(x: Any, axis: Any = None) -> Any:
    """Return the logarithm of the softmax over axes."""
    (x,) = floating(x, name="softmax")
    axes = axis_list(axis, x.ndim)
    if len(axes) == 1:
        return wg.log_softmax(x, dim=axes[0])
    if not axes:
        return x - x
    return x - wg.logsumexp(x, dim=axes, keepdim=True)


polygamma = for_tensors(_special.polygamma)(_extension.polygamma)
multigammaln = for_tensors(_special.multigammaln)(_extension.multigammaln)
sinc = for_tensors(_special.sinc)(_extension.sinc)


@for_tensors(_special.zeta)
def zeta(x: Any, q: Any = None, out: Any = None) -> Any:
    """Return Hurwitz's zeta function of x and q, Riemann's where q is None."""
    return write_out(out, _extension.zeta(x, q), "zeta")


def refuse_exact(name: str, exact: Any) -> None:
    """Raise TypeError for exact=True."""
    if exact:
        raise errors.unsupported_argument(name, "exact", exact, "use exact=False, which gives floating numbers")


@for_tensors(_special.comb)
def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Tensor:
    """Return the number of combinations of k out of N things, 0 where there is none."""
    refuse_exact("comb", exact)
    n, k = floating(N, k, name="comb")
    if repetition:
        n = wg.where((n == 0) & (k == 0), n, n + k - 1)
    inside = (k <= n) & (n >= 0) & (k >= 0)
    return wg.where(inside, wg.special.binom(wg.where(inside, n, 1), wg.where(inside, k, 1)), 0)


@for_tensors(_special.perm)
def perm(N: Any, k: Any, exact: bool = False) -> Tensor:
    """Return the number of arrangements of k out of N things, 0 where there is none."""
    refuse_exact("perm", exact)
    n, k = floating(N, k, name="perm")
    inside = (k <= n) & (n >= 0) & (k >= 0)
    first, count = wg.where(inside, n - k + 1, 1), wg.where(inside, k, 1)
    return wg.where(inside, wg.special.poch(first, count), 0)


@for_tensors(_special.factorial)
def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Tensor:
    """Return gamma(n + 1), 0 for negative numbers."""
    refuse_exact("factorial", exact)
    if extend != "zero":
        raise errors.unsupported_argument("factorial", "extend", extend, 'use extend="zero", or gamma(n + 1)')
    (n,) = floating(n, name="factorial")
    negative = n < 0
    return wg.where(negative, 0, wg.special.gamma(wg.where(negative, 1, n) + 1))


OWN = {one.__name__: one for one in (comb, factorial, log_softmax, logsumexp, multigammaln, perm, polygamma, sinc,
                                     softmax, zeta)}  # fmt: skip
__all__ = sorted(names := {name: ufunc_or_wrapper(name, one) for name, one in names_of(_special).items()} | OWN)
globals().update(names)
del names


def __getattr__(name: str) -> Any:
    return getattr(_special, name)
