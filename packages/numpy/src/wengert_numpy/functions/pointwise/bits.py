"""Bits of bytes: packbits and unpackbits."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.copy.joining import on_axis
from wengert_numpy.functions.table import implements

BITS = 8
"""Bits of a byte."""


def bit_values(bitorder: str, device: Any) -> Tensor:
    """Return the value of each bit in a byte, the most significant first for "big"."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    values = 2 ** wg.arange(BITS, device=device)
    return wg.flip(values, (0,)) if bitorder == "big" else values


@implements("packbits")
def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> Tensor:
    """Return bytes whose bits say which elements along an axis are not zero, the last ones filled with zeros."""
    x, axis = on_axis(a, axis, "packbits")
    if x.dtype.is_floating_point or x.dtype.is_complex:
        raise TypeError("Expected an input array of integer or boolean data type")
    bits = wg.movedim((x != 0).to(wg.int64), axis, -1)
    missing = -bits.shape[-1] % BITS
    bits = wg.cat([bits, bits.new_zeros((*bits.shape[:-1], missing))], dim=-1)
    bits = bits.reshape(*bits.shape[:-1], bits.shape[-1] // BITS, BITS)
    return wg.movedim((bits * bit_values(bitorder, x.device)).sum(-1).to(wg.uint8), -1, axis)


@implements("unpackbits")
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Tensor:
    """Return the bits of bytes along an axis; count: how many of them, negative: how many not."""
    x, axis = on_axis(a, axis, "unpackbits")
    if x.dtype is not wg.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    codes = wg.movedim(x.to(wg.int64), axis, -1)
    bits = (codes[..., None] & bit_values(bitorder, x.device)) != 0
    bits = bits.to(wg.uint8).reshape(*codes.shape[:-1], codes.shape[-1] * BITS)
    return wg.movedim(bits_to_count(bits, count), -1, axis)


def bits_to_count(bits: Tensor, count: Any) -> Tensor:
    """Return this number of bits, with zeros beyond the last one; all but the last ones for a negative number."""
    if count is None:
        return bits
    length = bits.shape[-1]
    if count < -length:
        raise ValueError(f"-count={-count} larger than number of elements: {length}")
    count = count + length if count < 0 else count
    zeros = bits.new_zeros((*bits.shape[:-1], max(count - length, 0)))
    return wg.cat([bits[..., :count], zeros], dim=-1)
