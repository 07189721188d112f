"""associative_scan: all partial results of an associative function, in a number of steps that grows as log(N)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import TABLE

from wengert_functional.control_flow.flat import Layout, check_like, flatten_tensors
from wengert_functional.vmap import vmap

cat, stack = TABLE.ops["cat"], TABLE.ops["stack"]
Combine = Callable[[list[Any], list[Any]], list[Any]]


def combine_rows(combine_fn: Callable[[Any, Any], Any], layout: Layout) -> Combine:
    """Return a function that combines the rows of two lists of tensors."""
    def combine_leaves(left: list[Any], right: list[Any]) -> list[Any]:
        leaves, found = flatten_tensors("associative_scan", "the result",
                                        combine_fn(layout.rebuild(left), layout.rebuild(right)))
        if not found.matches(layout):
            raise RuntimeError(f"associative_scan: expected combine_fn to return the structure of xs, {layout}, got "
                               f"{found}")
        for old, new in zip(left, leaves, strict=True):
            check_like("associative_scan: expected combine_fn to keep shape, dtype and device of xs, {}, got {}",
                       old, new)
        return leaves

    return vmap(combine_leaves, randomness="different")


def run_associative(combine: Combine, rows: list[Any]) -> list[Any]:
    """Return the partial results of rows: those of pairs first, which give every second one (Blelloch's scheme)."""
    count = rows[0].shape[0]
    if count < 2:
        return rows
    pairs = combine([x[:-1:2] for x in rows], [x[1::2] for x in rows])
    odd = run_associative(combine, pairs)
    even = [x[:1] for x in rows]
    if count > 2:
        left = [x[:-1] if count % 2 == 0 else x for x in odd]
        even = [cat([first, rest]) for first, rest in zip(even, combine(left, [x[2::2] for x in rows]), strict=True)]
    return [interleave(one, two) for one, two in zip(even, odd, strict=True)]


def interleave(even: Any, odd: Any) -> Any:
    """Return rows of two tensors in turn; the first may have one more."""
    count = odd.shape[0]
    pairs = stack([even[:count], odd], 1).flatten(0, 1)
    return pairs if even.shape[0] == count else cat([pairs, even[count:]])
