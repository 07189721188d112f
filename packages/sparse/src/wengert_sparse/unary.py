"""Functions of one tensor that map zero to zero: what a sparse tensor's values need no zeros for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert_core as wc

NAMES = """
    abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p neg rad2deg
    relu round sgn
    sign signbit sin sinh sqrt tan tanh trunc
""".split()
KEEP_DUPLICATES = ("neg", "deg2rad", "rad2deg", "conj")
"""Linear functions: f(a) + f(b) = f(a + b)."""
ZERO_SLOPE = ("ceil", "floor", "isinf", "isnan", "isneginf", "isposinf", "round", "sgn", "sign", "signbit", "trunc")
"""Functions whose own formula needs nothing of a sparse tensor."""
CLOSED = (*KEEP_DUPLICATES, *ZERO_SLOPE, "abs", "relu")
"""Functions whose formulas compute with what sparse tensors have: these record as themselves."""
UNARY: dict[str, Callable[..., Any]] = {name: getattr(wc, name) for name in NAMES if hasattr(wc, name)}
UNARY["conj"] = wc.conj
UNARY["round"] = lambda values, decimals=0: wc.round(values, decimals=decimals)
