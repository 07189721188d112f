"""Data types and the functions on them."""

from __future__ import annotations

from typing import Any, NamedTuple

import wengert as wg
from wengert import Tensor
from wengert_core.extend import dtype as dtype_type

from wengert_numpy.array_api.creation import asarray, convert
from wengert_numpy.array_api.promotion import INTEGERS, KINDS, common_dtype, dtype_of, promote
from wengert_numpy.operands import to_dtype

NAMES = tuple(
    name
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
    if hasattr(wg, name)
)
"""The standard's dtypes, which are wengert's."""
EXTRA_NAMES = ("float16", "bfloat16")
"""Dtypes that the standard does not have."""


class FInfo(NamedTuple):
    """The limits of a floating dtype; of a complex one those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: dtype_type


class IInfo(NamedTuple):
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: dtype_type


def finfo(type: Any, /) -> FInfo:
    """Return the limits of a floating or complex dtype, or of that of an array. TypeError for another."""
    dtype = dtype_of(type)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"finfo(): expected a floating or complex dtype, got {dtype}")
    real = dtype.to_real() if dtype.is_complex else dtype
    info = wg.finfo(real)
    return FInfo(info.bits, float(info.eps), float(info.max), float(info.min), float(info.smallest_normal), real)


def iinfo(type: Any, /) -> IInfo:
    """Return the limits of an integer dtype, or of that of an array. TypeError for another."""
    dtype = dtype_of(type)
    if dtype not in INTEGERS:
        raise TypeError(f"iinfo(): expected an integer dtype, got {dtype}")
    info = wg.iinfo(dtype)
    return IInfo(int(info.bits), int(info.max), int(info.min), dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Return whether a dtype is of a kind: a name of the standard, a dtype, or a tuple of them, one of which holds."""
    dtype = to_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        if any(isinstance(one, tuple) for one in kind):
            raise TypeError("isdtype(): argument 'kind' is a tuple of tuples: expected dtypes and names in it")
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype(): kind is {kind!r}, expected one of {', '.join(map(repr, KINDS))}")
        return dtype in KINDS[kind]
    return dtype is to_dtype(kind, "isdtype")


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype of arrays, dtypes and numbers together; a number only brings its kind."""
    return common_dtype(*arrays_and_dtypes)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Return whether the standard's promotion leads from a dtype, or an array's, to another.

    False between kinds, other than from floating to complex: the standard promotes no others.
    """
    source, target = dtype_of(from_), to_dtype(to, "can_cast")
    if family(source) != family(target) and not (source.is_floating_point and target.is_complex):
        return False
    return promote(source, target) is target


def family(dtype: Any) -> str:
    """Return the kind within which the standard promotes a dtype."""
    return next(kind for kind in ("bool", "integral", "real floating", "complex floating") if dtype in KINDS[kind])


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Return an array in another dtype on a device, itself where nothing changes and copy is false.

    TypeError for a real dtype of complex numbers: take xp.real, xp.imag or xp.abs first.
    """
    x, dtype = asarray(x), to_dtype(dtype, "astype")
    if x.dtype.is_complex and not dtype.is_complex and dtype is not wg.bool:
        raise TypeError(
            f"astype(): casting {x.dtype} to {dtype} drops the imaginary part: take real(x), imag(x) or abs(x) first"
        )
    result = convert(x, dtype, device)
    return result.clone() if copy and result is x else result
