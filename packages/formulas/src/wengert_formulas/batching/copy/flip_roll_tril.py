"""Batching rules of flips, rolls and triangles."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import flat, op_errors, sample_shape

ops = wc.TABLE.ops


@rule("tril", "triu")
def triangle(call: Call) -> Any:
    if call.rank("self") < 2:
        raise op_errors(call)
    return call.run()


@rule("flip")
def flip(call: Call) -> Any:
    rank = call.rank("self")
    dims = call.dims(call["dims"], rank)
    return call.run(dims=dims) if rank else call["self"].clone()


@rule("roll")
def roll(call: Call) -> Any:
    """Without dims each sample is rolled as one row."""
    shifts, dims = call["shifts"], call["dims"]
    if dims is None or (not isinstance(dims, int) and not len(dims)):
        if not isinstance(shifts, int) and len(shifts) != 1:
            raise op_errors(call)
        return call.run(self=flat(call, "self"), dims=[1]).reshape(call.size, *sample_shape(call, "self"))
    return call.run(dims=call.dims(dims, call.rank("self")))


@rule("rot90")
def rot90(call: Call) -> Any:
    rank, dims = call.rank("self"), call["dims"]
    if rank < 2:
        raise op_errors(call)
    return call.run(dims=call.dims(dims, rank))
