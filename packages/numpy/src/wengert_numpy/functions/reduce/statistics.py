"""Means, variances and covariances."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.reduce import reductions
from wengert_numpy.functions.reduce.reductions import NO_VALUE, is_direct, is_set
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.value_checks import holds
from wengert_numpy.operands import axis_list, inexact, result_dtype, to_dtype, to_tensor, write_result


def count(x: Tensor, axis: Any, keepdims: bool, where: Any) -> Any:
    """Return how many elements are reduced: a number, or a tensor where a mask selects them."""
    axes = axis_list(axis, x.ndim)
    if where is NO_VALUE or where is True:
        return math.prod(x.shape[one] for one in axes)
    mask = wg.broadcast_to(to_tensor(where, "mean", "where").to(x.device, wg.bool), x.shape)
    return reductions.sum(mask, tuple(axes), dtype=wg.int64, keepdims=keepdims)


def divide(total: Tensor, number: Any) -> Any:
    """Return a total divided by a count, in the total's dtype."""
    return (inexact(total) / number).to(total.dtype)


@implements("mean")
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> Any:
    """Return the arithmetic mean over axes."""
    simple = dtype is None and out is None and where is NO_VALUE and is_direct(a, axis)
    if simple and (a.dtype.is_floating_point or a.dtype.is_complex) and a.numel():
        return wg.mean(a, axis, is_set(keepdims))
    x = to_tensor(a, "mean")
    number = count(x, axis, is_set(keepdims), where)
    if not isinstance(number, Tensor) and number == 0:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    half = x.dtype in (wg.float16, wg.bfloat16) and dtype is None
    kind = wg.float32 if half else inexact(x).dtype if dtype is None else to_dtype(dtype, "mean")
    result = divide(reductions.sum(x, axis, kind, keepdims=keepdims, where=where), number)
    return write_result(out, result.to(x.dtype) if half else result, "mean", casting="unsafe")


# ---- variances


def degrees_removed(ddof: Any, correction: Any) -> Any:
    """Return the number that is subtracted from the count. ValueError where both names for it are used."""
    if correction is NO_VALUE:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def abs_square(x: Tensor) -> Tensor:
    """Return the squares of moduli, which are real."""
    return wg.square(x.real) + wg.square(x.imag) if x.dtype.is_complex else wg.square(x)


def sqrt(variance: Tensor) -> Any:
    """Return the square root of a variance; at zero, its smallest value, with derivative zero."""
    zero = variance == 0
    return wg.where(zero, variance, wg.sqrt(wg.where(zero, 1, variance)))


@implements("var")
def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = NO_VALUE, *,
    where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
) -> Any:
    """Return the variance over axes: the sum of squared distances from the mean divided by count - ddof."""
    ddof = degrees_removed(ddof, correction)
    x = to_tensor(a, "var")
    number = count(x, axis, is_set(keepdims), where)
    if not isinstance(number, Tensor) and number <= ddof:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
    elif dtype is None and where is NO_VALUE and mean is NO_VALUE and not isinstance(ddof, Tensor):
        axes = () if is_empty(axis) else tuple(axis_list(axis, x.ndim))
        if axes:
            return write_result(out, wg.var(inexact(x), axes, correction=ddof, keepdim=is_set(keepdims)), "var")
    squares = abs_square(distances(x, axis, dtype, where, mean))
    total = reductions.sum(squares, axis, dtype, keepdims=keepdims, where=where)
    rest = number - ddof
    free = wg.clamp(rest, min=0) if isinstance(rest, Tensor) else max(rest, 0)
    return write_result(out, divide(total, free), "var", casting="unsafe")


def is_empty(axis: Any) -> bool:
    """Return whether no axes are named."""
    return isinstance(axis, tuple) and not axis


def distances(x: Tensor, axis: Any, dtype: Any, where: Any, mean: Any) -> Any:
    """Return the differences of elements and their mean."""
    kind = inexact(x).dtype if dtype is None else to_dtype(dtype, "var")
    if mean is NO_VALUE or mean is None:
        total = reductions.sum(x, axis, kind, keepdims=True, where=where)
        center = divide(total, count(x, axis, True, where))
    else:
        center = to_tensor(mean, "var", "mean")
    both = result_dtype(x, center)
    return x.to(both) - center.to(both)


@implements("std")
def std(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = NO_VALUE, *,
    where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
) -> Any:
    """Return the standard deviation over axes, whose derivative is zero where all elements are equal."""
    ddof = degrees_removed(ddof, correction)
    variance = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean)
    return write_result(out, sqrt(variance), "std", casting="unsafe")


# ---- averages and covariances


def fit_weights(weights: Any, x: Tensor, axes: Any, name: str) -> Tensor:
    """Return weights in a shape that broadcasts to a tensor's, for axes in the order in which they are listed."""
    w = to_tensor(weights, name, "weights")
    if w.shape == x.shape:
        return w
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if tuple(w.shape) != tuple(x.shape[axis] for axis in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    w = w.permute(*sorted(range(len(axes)), key=axes.__getitem__))
    return w.reshape([n if i in axes else 1 for i, n in enumerate(x.shape)])


@implements("average")
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = NO_VALUE
) -> Any:
    """Return the average over axes, weighted, and the sum of the weights where ``returned`` is true."""
    x = to_tensor(a, "average")
    axes = None if axis is None else axis_list(axis, x.ndim)
    over = None if axes is None else tuple(axes)
    if weights is None:
        result = mean(x, over, keepdims=keepdims)
        total = wg.full_like(result, x.numel() / max(result.numel(), 1))
    else:
        w = fit_weights(weights, x, axes, "average")
        whole = not (x.dtype.is_floating_point or x.dtype.is_complex)
        dtype = result_dtype(x, w, np.dtype(float)) if whole else result_dtype(x, w)
        x, w = x.to(dtype), w.to(dtype)
        total = reductions.sum(w, over, keepdims=keepdims)
        if holds((total == 0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = reductions.sum(x * w, over, keepdims=keepdims) / total
    return (result, wg.broadcast_to(total, result.shape).clone()) if returned else result


def rows_of(m: Any, rowvar: Any, argument: str) -> Tensor:
    """Return variables as the rows of a matrix."""
    x = to_tensor(m, "cov", argument)
    if x.ndim > 2:
        raise ValueError(f"{argument} has more than 2 dimensions")
    matrix = x.reshape(1, -1) if x.ndim < 2 else x
    return matrix.mT if not rowvar and x.ndim != 1 and not (argument == "y" and matrix.shape[0] == 1) else matrix


def frequency_weights(weights: Any, length: int) -> Tensor:
    """Return the repetitions of observations: whole numbers that are not negative."""
    w = to_tensor(weights, "cov", "fweights").to(wg.float64)
    if not holds(w == wg.round(w)):
        raise TypeError("fweights must be integer")
    return checked_weights(w, length, "fweights")


def checked_weights(w: Tensor, length: int, argument: str) -> Tensor:
    """Return weights, one for each observation, that are not negative."""
    if w.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {argument}")
    if w.shape[0] != length:
        raise RuntimeError(f"incompatible numbers of samples and {argument}")
    if holds((w < 0).any()):
        raise ValueError(f"{argument} cannot be negative")
    return w


def observation_weights(fweights: Any, aweights: Any, length: int) -> tuple[Tensor | None, Tensor | None]:
    """Return the weights of observations, None for equal ones, and those of them that say how reliable they are."""
    w = None if fweights is None else frequency_weights(fweights, length)
    if aweights is None:
        return w, None
    reliable = checked_weights(to_tensor(aweights, "cov", "aweights").to(wg.float64), length, "aweights")
    return reliable if w is None else w * reliable, reliable


def normalization(w: Tensor | None, reliable: Tensor | None, ddof: Any, length: int) -> Any:
    """Return the number by which sums of products are divided."""
    if w is None:
        factor = length - ddof
    elif ddof == 0 or reliable is None:
        factor = w.sum() - ddof
    else:
        factor = w.sum() - ddof * (w * reliable).sum() / w.sum()
    if isinstance(factor, Tensor):
        return wg.clamp(factor, min=0)
    if factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
    return max(factor, 0)


@implements("cov")
def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:
    """Return the covariances of variables, the rows (or columns) of a matrix."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    parts = [rows_of(m, rowvar, "m")]
    if parts[0].shape[0] == 0:
        return wg.zeros(0, 0, dtype=wg.float64)
    if y is not None:
        parts.append(rows_of(y, rowvar, "y"))
    kind = result_dtype(*parts, np.dtype(float)) if dtype is None else to_dtype(dtype, "cov")
    x = wg.cat([part.to(kind) for part in parts], dim=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    w, reliable = observation_weights(fweights, aweights, x.shape[1])
    factor = normalization(w, reliable, ddof, x.shape[1])
    if w is None:
        x = x - x.mean(1, keepdim=True)
        weighted = x
    else:
        x = x - ((x * w).sum(1, keepdim=True) / w.sum())
        weighted = x * w
    products = wg.matmul(x, weighted.mT.conj().resolve_conj() if kind.is_complex else weighted.mT)
    number = factor if isinstance(factor, Tensor) else wg.full((), float(factor), dtype=wg.float64, device=x.device)
    return (products / number.to(kind)).squeeze()


@implements("corrcoef")
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    """Return the correlations of variables: their covariances divided by both standard deviations."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = wg.sqrt(c.diagonal().real)
    c = c / deviation[:, None].to(c.dtype) / deviation[None, :].to(c.dtype)
    if c.dtype.is_complex:
        return wg.complex(wg.clamp(c.real, -1, 1), wg.clamp(c.imag, -1, 1))
    return wg.clamp(c, -1, 1)
