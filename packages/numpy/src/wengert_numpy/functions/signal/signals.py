"""Discrete convolution and correlation of sequences."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import promote, to_tensor

MODES = ("full", "same", "valid")


def sequence(value: Any, name: str, argument: str) -> Tensor:
    """Return an operand as a tensor of one dim. ValueError for more dims or without elements."""
    t = to_tensor(value, name, argument)
    if t.ndim > 1:
        raise ValueError("object too deep for desired array")
    if not t.numel():
        raise ValueError(f"{argument} cannot be empty")
    return t.reshape(-1)


def sliding_products(a: Tensor, v: Tensor, mode: str) -> Tensor:
    """Return ``sum(a[n + k] * v[n])`` for the offsets k of a mode; a is not shorter than v."""
    n = v.shape[0]
    before, after = {
        "full": (n - 1, n - 1), "same": (n // 2, (n - 1) // 2), "valid": (0, 0),
    }[mode]
    if a.dtype.is_floating_point:
        padded = wg.nn.functional.pad(a, (before, after))
        return wg.conv1d(padded[None, None], v[None, None])[0, 0]
    zeros = [wg.zeros(size, dtype=a.dtype, device=a.device) for size in (before, after)]
    windows = wg.cat([zeros[0], a, zeros[1]]).unfold(0, n, 1)
    if a.dtype is wg.bool:
        return (windows & v).any(-1)
    return (windows * v).sum(-1).to(a.dtype)


def check_mode(mode: Any) -> str:
    """Return the name of a mode, for which NumPy has numbers as well."""
    if isinstance(mode, int) and 0 <= mode <= 2:
        return ("valid", "same", "full")[mode]
    if mode not in MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    return str(mode)


@implements("correlate")
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """Return the correlation of two sequences, ``sum(a[n + k] * conj(v[n]))`` for each offset k."""
    mode = check_mode(mode)
    first, second = promote(sequence(a, "correlate", "a"), sequence(v, "correlate", "v"))
    second = wg.conj_physical(second) if second.dtype.is_complex else second
    if first.shape[0] >= second.shape[0]:
        return sliding_products(first, second, mode)
    return sliding_products(second, first, mode).flip(0)


@implements("convolve")
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Return the convolution of two sequences, ``sum(a[n] * v[k - n])`` for each k."""
    mode = check_mode(mode)
    first, second = promote(sequence(a, "convolve", "a"), sequence(v, "convolve", "v"))
    if second.shape[0] > first.shape[0]:
        first, second = second, first
    return sliding_products(first, second.flip(0), mode)
