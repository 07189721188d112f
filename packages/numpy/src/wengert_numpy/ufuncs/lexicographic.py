"""The order of complex numbers in NumPy: by real part, then by imaginary part, NaN last."""

from __future__ import annotations

import wengert as wg
from wengert import Tensor


def is_nan(x: Tensor) -> Tensor:
    """Return where a tensor is NaN, which integers never are."""
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return wg.isnan(x)
    return wg.zeros_like(x, dtype=wg.bool)


def position_of_extremum(x: Tensor, largest: bool = True) -> Tensor:
    """Return the first position of the largest or smallest complex number along the last dim; of the first NaN."""
    sign = 1 if largest else -1
    first, second = sign * x.real, sign * x.imag
    nan = wg.isnan(x)
    first, second = (wg.where(nan, -wg.inf, part) for part in (first, second))
    candidate = ~nan & (first == first.amax(-1, keepdim=True))
    second = wg.where(candidate, second, -wg.inf)
    candidate = candidate & (second == second.amax(-1, keepdim=True))
    found = wg.where(nan.any(-1, keepdim=True), nan, candidate)
    return wg.argmax(found.to(wg.uint8), dim=-1)


def extremum(x: Tensor, largest: bool = True) -> Tensor:
    """Return the largest or smallest complex number along the last dim."""
    return wg.gather(x, -1, position_of_extremum(x, largest).unsqueeze(-1)).squeeze(-1)


def sort_last(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the elements sorted along the last dim, and the indices that they had."""
    if not x.dtype.is_complex:
        return wg.sort(x.to(wg.uint8), stable=True) if x.dtype is wg.bool else wg.sort(x, stable=True)
    nan = wg.isnan(x)
    index = wg.argsort(wg.where(nan, wg.inf, x.imag), stable=True)
    for key in (wg.where(nan, wg.inf, x.real), nan.to(wg.uint8)):
        index = wg.gather(index, -1, wg.argsort(wg.gather(key, -1, index), stable=True))
    return wg.gather(x, -1, index), index
