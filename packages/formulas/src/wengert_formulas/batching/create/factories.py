"""Batching rules of factories that look at a tensor: the batch comes first in what they make."""

from __future__ import annotations

import math
from typing import Any

from wengert_formulas.batching.calls.call import Call, Plain, rule
from wengert_formulas.batching.view.views import sizes_of

ITEM = ("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
        "Tensor, please try to rewrite what you're doing with other operations. "
        "{} got a batched tensor among numbers (see docs/errors/vmap)")


@rule("empty_like", "zeros_like", "ones_like", "full_like")
def like(call: Call) -> Any:
    check_number(call, "fill_value")
    return call.run()


def check_number(call: Call, name: str) -> None:
    """RuntimeError for a batched tensor where a number is wanted."""
    if call.batched.get(name):
        raise RuntimeError(ITEM.format(call.name))


@rule("new_empty", "new_zeros", "new_ones", "new_full")
def new(call: Call) -> Any:
    check_number(call, "fill_value")
    return call.run(size=(call.size, *sizes_of(call["size"])))


@rule("new_empty_strided")
def new_strided(call: Call) -> Any:
    size, stride = sizes_of(call["size"]), sizes_of(call["stride"])
    span = 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True)) if math.prod(size) else 0
    return call.run(size=(call.size, *size), stride=(span, *stride))


@rule("tensor", "new_tensor", "as_tensor", "asarray")
def of_data(call: Call) -> Any:
    name = "obj" if call.name == "asarray" else "data"
    if isinstance(call.batched[name], list):
        raise RuntimeError(ITEM.format(call.name))
    return call.run() if call.batched[name] else Plain(call.run())


@rule("full", "scalar_tensor", "arange", "range", "eye")
def of_numbers(call: Call) -> Any:
    raise RuntimeError(ITEM.format(call.name))
