"""Tensors from outside of a program: those that are there, and the memory of those that are gone.

Note [Tensors that are gone]
    A program holds the memory of tensors from outside, and the tensors weakly. One that the function made of Python
    data in memory of its own, such as the index of ``x[[0, 2]]``, is gone behind the recording. ``program.outside`` has
    a tensor on each memory, of the geometry of the first one there, in the order in which they were seen; so have the
    values of steps. So where there are as many values without a tensor as memories without one, they are the same in
    this order; else it is not known which is which, and the program is not saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import wengert_core

from wengert_replay.exporting.tensors import address_of
from wengert_replay.trace.values import Value

if TYPE_CHECKING:
    from wengert_core.extend import Tensor

    from wengert_replay.programs.program import Program


def tensors_from_outside(program: Program) -> list[Tensor | None]:
    """Return the tensors from outside by the numbers of their values; None for one whose memory is not known."""
    found: list[Tensor | None] = list(program.steps.outside)
    gone = [i for i, t in enumerate(found) if t is None]
    there = {address_of(t) for t in found if t is not None}
    memory = list(
        {
            address: t for t, storage, address, _, _ in program.outside if address not in there and storage != address
        }.values()
    )  # without the states of generators, which no Storage has
    if len(memory) == len(gone):
        kinds = kinds_of_gone(program, set(gone))
        for number, t in zip(gone, memory, strict=True):
            found[number] = tensor_of_kind(t, kinds[number]) if number in kinds else t
    return found


def tensor_of_kind(t: Tensor, kind: Value) -> Tensor | None:
    """Return the tensor of a value on the memory of another; None where it is not sure where it begins."""
    if (t.dtype, tuple(t.shape), t.stride()) == (kind.dtype, kind.shape, kind.strides):
        return t
    made = wengert_core.empty_strided(kind.shape, kind.strides, dtype=kind.dtype)
    if made.untyped_storage().nbytes() != t.untyped_storage().nbytes() or not made.is_contiguous():
        return None
    return wengert_core.empty(0, dtype=kind.dtype).set_(t.untyped_storage(), 0, kind.shape, kind.strides)


def kinds_of_gone(program: Program, gone: set[int]) -> dict[int, Value]:
    """Return those of these values from outside that steps use."""
    found: dict[int, Value] = {}
    for step in program.steps if gone else ():
        for value in values_in(step.arguments):
            if value.kind == "outside" and value.number in gone:
                found[value.number] = value
    return found


def values_in(arguments: Any) -> Iterator[Value]:
    """Give the values in nested tuples and lists."""
    for item in arguments:
        if isinstance(item, Value):
            yield item
        elif isinstance(item, (tuple, list)):
            yield from values_in(item)
