"""Steps of a program that are no operations: constants, copies and fills of the engine, views, guards, numbers,
loops.
"""

from __future__ import annotations

import wengert_core
from wengert_core.extend import Tensor

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.tensors import Geometry

ANY_ROOM = -2
"""The room of a loop that keeps no carries, as nobody reads them: any number of iterations."""
PARAMETERS = {
    "constant": ("number", "offset"),
    "copy": ("source", "into"),
    "fill": ("number", "into"),
    "view": ("base", "offset"),
    "guard": ("value", "expected"),
    "numbers": ("tensors", "code", "results"),
    "choice": ("name", "predicate", "bodies"),
    "loop": ("name", "carry", "rows", "bounds", "into", "bodies", "tests", "following", "backwards", "count", "room",
             "index_step", "keeps", "counts"),
}  # fmt: skip
"""The names of their arguments."""


def copy(source: Tensor, into: Tensor | None, kind: Geometry) -> Tensor:
    """Return a copy with the layout that the engine gives it; or copy into a tensor."""
    if tuple(source.shape) != kind.shape:  # bytes that were moved from there
        source = source.as_strided(kind.shape, kind.strides, source.storage_offset())
    return target_of(into, kind).copy_(source)


def fill(number: complex, into: Tensor | None, kind: Geometry) -> Tensor:
    """Return a tensor of one number; or fill one."""
    return target_of(into, kind).fill_(number)


def constant(whole: Tensor, offset: int, kind: Geometry) -> Tensor:
    """Return a new tensor with a part of stored numbers, which the program may write to."""
    return whole.clone().as_strided(kind.shape, kind.strides, offset)


def target_of(into: Tensor | None, kind: Geometry) -> Tensor:
    """Return a new tensor; or what begins where ``into`` does."""
    if into is None:
        made = wengert_core.empty(kind.shape, dtype=kind.dtype)
        if made.stride() == kind.strides:
            return made
        return wengert_core.empty(kind.end, dtype=kind.dtype).as_strided(kind.shape, kind.strides)
    return into.as_strided(kind.shape, kind.strides, into.storage_offset())


def view(base: Tensor, offset: int, kind: Geometry) -> Tensor:
    """Return a view; offset: bytes from the first element of the base."""
    place, remainder = divmod(base.storage_offset() * base.element_size() + offset, kind.dtype.itemsize)
    if remainder:
        raise ProgramFileError(f"a view of {kind.dtype.name} begins inside of an element")
    if base.dtype is not kind.dtype:
        count = base.untyped_storage().nbytes() // base.element_size()
        base = base.as_strided((count,), (1,), 0).view(kind.dtype)
    return base.as_strided(kind.shape, kind.strides, place)
