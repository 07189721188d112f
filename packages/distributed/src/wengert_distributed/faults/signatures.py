"""Collectives as integers that ranks compare: name, dtype, and reduction or root."""

from __future__ import annotations

import numpy as np

from wengert_distributed.reduce_op import RedOpType

NAMES = ("", "barrier", "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "reduce_scatter",
         "all_to_all", "send", "recv")  # fmt: skip
BARRIER, ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, GATHER, SCATTER, REDUCE_SCATTER, ALL_TO_ALL = range(1, 10)

DTYPE_SHIFT, DETAIL_SHIFT = 8, 16  # bits of a signature: name, dtype number, reduction or root
REDUCTIONS = tuple(RedOpType)


def signature(name: int, dtype: int = 0, detail: int = 0) -> int:
    """Return an integer that ranks compare: a collective's name, its dtype, and its reduction or root."""
    return name | dtype << DTYPE_SHIFT | detail << DETAIL_SHIFT


def describe(sign: int, count: int) -> tuple[str, str]:
    """Return the name and the text of a collective from its signature, for a rank that wrote no text of its own."""
    name, number, detail = sign & 0xFF, sign >> DTYPE_SHIFT & 0xFF, sign >> DETAIL_SHIFT
    if name in (ALL_REDUCE, REDUCE_SCATTER):
        facts = f", {REDUCTIONS[detail].name}"
    elif name == REDUCE:
        facts = f", {REDUCTIONS[detail & 0xFF].name}, root {detail >> 8}"
    else:
        facts = f", root {detail}" if name in (BROADCAST, GATHER, SCATTER) else ""
    known = {np.dtype(code).num: np.dtype(code).name for code in "?bBhHiIlLqQefdFD"}
    dtype = f"{known[number]}[{count}]" if number in known and name != BARRIER else ""
    return NAMES[name], f"{dtype}{facts}".strip(", ")
