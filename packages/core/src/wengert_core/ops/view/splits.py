"""Pieces of a tensor at given places: tensor_split and its kin."""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.messages.signatures import invalid_combination
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

composite = TABLE.composite
MOST_PIECES = 2**27  # each is a Tensor of about 150 bytes


def cut_points(size: int, sections: int) -> list[int]:
    """Where numpy.array_split would cut."""
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    if sections > MOST_PIECES:
        raise MemoryError(f"tensor_split: {sections} pieces do not fit into memory, expected at most {MOST_PIECES}")
    short, longer = divmod(size, sections)
    return [i * short + min(i, longer) for i in range(1, sections)]


def check_cuts(name: str, where: Any) -> None:
    """TypeError for True and False, which are no numbers of sections."""
    if isinstance(where, bool):
        raise invalid_combination(name, (where,), "(Tensor input, int sections), (Tensor input, tuple of ints indices)")


@composite
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: int = UNSAID
) -> tuple[Tensor, ...]:
    where: Any = next((w for w in (indices_or_sections, indices, sections) if w is not None), None)
    check_cuts("tensor_split", where)
    if input.dim() == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    if isinstance(where, Tensor):
        where = where.tolist()
    size = input.size(dim)
    points = cut_points(size, where) if isinstance(where, int) else list(where)
    slice_ = TABLE.ops["slice"]
    return tuple(slice_(input, dim, a, b) for a, b in zip([0, *points], [*points, size], strict=True))


def split_at(name: str, input: Tensor, where: Any, dim: int, least: int) -> tuple[Tensor, ...]:
    """What hsplit, vsplit and dsplit share."""
    check_cuts(name, where)
    if input.dim() < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {input.dim()} "
            "dimensions!"
        )
    if isinstance(where, int) and (where <= 0 or input.size(dim) % where):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {input.size(dim)} "
            f"is not divisible by the split_size {where}!"
        )
    parts: tuple[Tensor, ...] = tensor_split(input, where, dim)
    return parts


@composite
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return split_at("hsplit", input, indices_or_sections, 1 if input.dim() > 1 else 0, 1)


@composite
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return split_at("vsplit", input, indices_or_sections, 0, 2)


@composite
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return split_at("dsplit", input, indices_or_sections, 2, 3)


for NAME in ("tensor_split", "hsplit", "vsplit", "dsplit"):
    TABLE.methods[NAME] = TABLE.ops[NAME]
