"""Batching rules of views: the same view, one dim further to the right."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.call import Call, family, rule


def sizes(value: Any) -> list[int]:
    """An int or several as a list."""
    return [value] if isinstance(value, int) else list(value)


def filled_in(size: list[int], count: int) -> list[int]:
    """A shape whose -1 is filled in. RuntimeError where it does not fit."""
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = 1
    for length in size:
        known *= length if length != -1 else 1
    if -1 in size:
        if known == 0:
            raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {size} because the unspecified dimension "
                               "size -1 can be any value and is ambiguous")
        size = [count // known if length == -1 else length for length in size]
    return size


@rule("view", "_unsafe_view")
def viewed(call: Call) -> Any:
    size = call["size"]
    if not isinstance(size, (int, tuple, list)):
        return another_dtype(call, size)
    size = sizes(size)
    if any(not isinstance(length, int) for length in size):
        size = [int(length) for length in size]
    count = 1
    for length in call["self"].shape[1:]:
        count *= length
    return call.run(size=(call.size, *filled_in(size, count)))


def another_dtype(call: Call, dtype: Any) -> Any:
    """view(dtype): the last dim of a scalar is not the batch."""
    if call.rank("self") == 0 and call["self"].dtype.itemsize != dtype.itemsize:
        raise RuntimeError(f"self.dim() cannot be 0 to view {call['self'].dtype} as {dtype} (different element sizes)")
    return call.run()


@rule("alias", "clone", "view_as_complex", "view_as_real")
def same(call: Call) -> Any:
    if call.name == "view_as_complex" and call.rank("self") == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    return call.run()
