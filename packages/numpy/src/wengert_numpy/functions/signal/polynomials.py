"""Polynomials by their coefficients, that of the highest power first."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.signal import signals
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.value_checks import holds
from wengert_numpy.operands import inexact, promote, to_tensor
from wengert_numpy.ufuncs.lexicographic import sort_last


def coefficients(value: Any, name: str, argument: str = "p") -> Tensor:
    """Return an operand as a tensor with at least one dim."""
    t = to_tensor(value, name, argument)
    return t.reshape(1) if not t.ndim else t


def without_leading_zeros(p: Tensor) -> Tensor:
    """Return coefficients from the first one that is not zero on; the last one where all are zero.

    Inside of vmap all are kept: a batch has one shape.
    """
    while p.shape[0] > 1 and holds(p[0] == 0):
        p = p[1:]
    return p


def powers(p: Tensor, start: int) -> Tensor:
    """Return the exponents from start down to 1."""
    return wg.arange(start, 0, -1, device=p.device)


@implements("polyval")
def polyval(p: Any, x: Any) -> Any:
    """Return the values of a polynomial."""
    if isinstance(x, np.poly1d):
        raise TypeError("polyval(): argument 'x' must be a tensor, an array or numbers: multiply coefficients with "
                        "numpy.polymul and numpy.polyadd to put a polynomial into another one")
    p, x = promote(to_tensor(p, "polyval", "p"), to_tensor(x, "polyval", "x"))
    y = wg.zeros_like(x)
    for coefficient in p.unbind(0):
        y = y * x + coefficient
    return y


def align(a1: Any, a2: Any, name: str) -> list[Tensor]:
    """Return the coefficients of two polynomials, filled up with zeros to the same number."""
    both = promote(coefficients(a1, name, "a1"), coefficients(a2, name, "a2"))
    size = max(p.shape[0] for p in both)
    return [wg.cat([wg.zeros(size - p.shape[0], dtype=p.dtype, device=p.device), p]) for p in both]


@implements("polyadd")
def polyadd(a1: Any, a2: Any) -> Any:
    """Return the sum of two polynomials."""
    first, second = align(a1, a2, "polyadd")
    return first + second


@implements("polysub")
def polysub(a1: Any, a2: Any) -> Any:
    """Return the difference of two polynomials."""
    first, second = align(a1, a2, "polysub")
    return first - second


@implements("polymul")
def polymul(a1: Any, a2: Any) -> Any:
    """Return the product of two polynomials; leading zeros are left out."""
    first, second = (without_leading_zeros(coefficients(a, "polymul", name)) for a, name in ((a1, "a1"), (a2, "a2")))
    return signals.convolve(first, second)


@implements("polydiv")
def polydiv(u: Any, v: Any) -> Any:
    """Return the quotient and the remainder of two polynomials."""
    rest, divisor = promote(*(inexact(coefficients(a, "polydiv", name)) for a, name in ((u, "u"), (v, "v"))))
    m, n = rest.shape[0] - 1, divisor.shape[0] - 1
    quotient = []
    for k in range(m - n + 1):
        factor = rest[k] / divisor[0]
        quotient.append(factor)
        rest = wg.cat([rest[:k], rest[k : k + n + 1] - factor * divisor, rest[k + n + 1 :]])
    while rest.shape[0] > 1 and holds(wg.abs(rest[0]) <= 1e-8):
        rest = rest[1:]
    zero = wg.zeros(1, dtype=rest.dtype, device=rest.device)
    return (wg.stack(quotient) if quotient else zero), rest


@implements("polyder")
def polyder(p: Any, m: Any = 1) -> Any:
    """Return the m-th derivative of a polynomial."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    t = to_tensor(p, "polyder", "p")
    for _ in range(m):
        t = t[:-1] * powers(t, t.shape[0] - 1)
    return t


@implements("polyint")
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """Return the m-th integral of a polynomial, with constants of integration k."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    t = to_tensor(p, "polyint", "p")
    constants = wg.zeros(m, dtype=wg.float64) if k is None else coefficients(k, "polyint", "k")
    if constants.shape[0] == 1 and m > 1:
        constants = constants.expand(m)
    if constants.shape[0] < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        whole = inexact(t) / powers(t, t.shape[0])
        t = wg.cat(promote(whole, constants[i : i + 1].to(t.device)))
    return t


# ---- roots


def real_where_possible(z: Tensor) -> Tensor:
    """Return complex numbers as real ones where all imaginary parts are zero, as NumPy's eigvals does."""
    return z.real if holds(z.imag == 0) else z


@implements("roots")
def roots(p: Any) -> Any:
    """Return the roots of a polynomial, the eigenvalues of its companion matrix."""
    t = coefficients(p, "roots")
    if t.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    size = t.shape[0]
    t = without_leading_zeros(t.flip(0)).flip(0)
    zeros = size - t.shape[0]  # each is a root at zero
    t = inexact(without_leading_zeros(t))
    n = t.shape[0] - 1
    if n < 1 and (n < 0 or holds(t == 0)):
        return wg.zeros(0, dtype=wg.float64, device=t.device)
    found = wg.zeros(0, dtype=wg.float64, device=t.device)
    if n:
        below = wg.eye(n, dtype=t.dtype, device=t.device)[:-1]
        companion = wg.cat([(-t[1:] / t[0]).unsqueeze(0), below])
        found = wg.linalg.eigvals(companion)
        found = found if t.dtype.is_complex else real_where_possible(found)
    return wg.cat([found, wg.zeros(zeros, dtype=found.dtype, device=t.device)])


@implements("poly")
def poly(seq_of_zeros: Any) -> Any:
    """Return the coefficients of the polynomial with these roots, or the characteristic polynomial of a matrix."""
    t = coefficients(seq_of_zeros, "poly", "seq_of_zeros")
    if t.ndim == 2 and t.shape[0] == t.shape[1] != 0:
        t = wg.linalg.eigvals(inexact(t))
    elif t.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    t = t.to(wg.float64) if t.dtype is wg.float16 else inexact(t)
    if not t.shape[0]:
        return 1.0
    one = wg.ones(1, dtype=t.dtype, device=t.device)
    zero = wg.zeros(1, dtype=t.dtype, device=t.device)
    product = one
    for root in t.unbind(0):
        product = wg.cat([product, zero]) - wg.cat([zero, product * root])
    return product.real if t.dtype.is_complex and are_conjugate(t) else product


def are_conjugate(roots: Tensor) -> bool:
    """Return whether complex numbers are real or pairs of conjugate ones."""
    return holds(sort_last(roots)[0] == sort_last(wg.conj_physical(roots))[0])


# ---- fits


@implements("polyfit")
def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """Return the coefficients of the polynomial that fits points best, in the sense of least squares.

    full: whether residuals, rank, singular values and rcond are returned as well; cov: whether covariances are.
    """
    points, values = fit_data(x, y, deg)
    order = int(deg) + 1
    rcond = points.shape[0] * wg.finfo(points.dtype).eps if rcond is None else rcond
    lhs = wg.vander(points, order)
    lhs, rhs = promote(lhs, values)
    if w is not None:
        lhs, rhs = apply_weights(lhs, rhs, w)
    scale = wg.sqrt((lhs * lhs).sum(0))
    lhs = lhs / scale
    singular = wg.linalg.svdvals(lhs)
    rank = (singular > rcond * singular[0]).sum()
    column_scale = scale if rhs.ndim == 1 else scale[:, None]
    solution = wg.matmul(wg.linalg.pinv(lhs, rtol=rcond), rhs)
    residuals = wg.square(wg.abs(rhs - wg.matmul(lhs, solution))).sum(0, keepdim=rhs.ndim == 1)
    fit = solution / column_scale
    complete = not holds(rank < order)
    if not complete and not full:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=2)
    if lhs.shape[0] <= order or not complete:
        residuals = residuals[:0]
    if full:
        return fit, residuals, rank.to(wg.int32), singular, to_tensor(rcond)
    return (fit, covariances(lhs, rhs, scale, residuals, cov)) if cov else fit


def fit_data(x: Any, y: Any, deg: Any) -> tuple[Tensor, Tensor]:
    """Return the points of a fit. ValueError and TypeError as NumPy's."""
    points, values = inexact(to_tensor(x, "polyfit", "x")), inexact(to_tensor(y, "polyfit", "y"))
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if points.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if not points.numel():
        raise TypeError("expected non-empty vector for x")
    if not 1 <= values.ndim <= 2:
        raise TypeError("expected 1D or 2D array for y")
    if points.shape[0] != values.shape[0]:
        raise TypeError("expected x and y to have same length")
    return points, values


def apply_weights(lhs: Tensor, rhs: Tensor, weights: Any) -> tuple[Tensor, Tensor]:
    """Return both sides of the equations, multiplied by weights."""
    w = inexact(to_tensor(weights, "polyfit", "w"))
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w.shape[0] != rhs.shape[0]:
        raise TypeError("expected w and y to have the same length")
    lhs, rhs, w = promote(lhs, rhs, w)
    return lhs * w[:, None], rhs * (w if rhs.ndim == 1 else w[:, None])


def covariances(lhs: Tensor, rhs: Tensor, scale: Tensor, residuals: Tensor, cov: Any) -> Any:
    """Return the covariances of fitted coefficients, for each of several right-hand sides."""
    base = wg.linalg.inv(wg.matmul(lhs.mT, lhs)) / wg.outer(scale, scale)
    factor: Any = 1
    if cov != "unscaled":
        m, order = lhs.shape
        if m <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (m - order)
    return base * factor if rhs.ndim == 1 else base[:, :, None] * factor
