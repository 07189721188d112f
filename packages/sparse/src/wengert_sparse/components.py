"""The strided tensors that a sparse tensor consists of."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from wengert_core.extend import Tensor, components_of, is_strided

from wengert_sparse.layouts import SPARSE_COO


class Coo(NamedTuple):
    """Components of a tensor of layout ``sparse_coo`` with S sparse and D dense dims, N elements specified."""

    indices: Tensor  # int64, (S, N)
    values: Tensor  # (N, *sizes of the dense dims)
    coalesced: bool  # the indices are sorted by rows, each different from the one before


class CompressedParts(NamedTuple):
    """Components of a tensor of a compressed layout: *B sizes of batches, then those of a matrix, then dense dims."""

    compressed: Tensor  # int64 or int32, (*B, rows + 1) or (*B, columns + 1), of blocks in a block layout
    plain: Tensor  # of the same dtype, (*B, N)
    values: Tensor  # (*B, N, *block size, *sizes of the dense dims)


_plugin: Any = None  # set by plugin.py, whose import needs this module


def connect(made: Any) -> None:
    """Say which plugin makes tensors."""
    global _plugin
    _plugin = made


def plugin() -> Any:
    """The plugin that makes tensors, loaded now if it was not."""
    if _plugin is None:
        import_module("wengert_sparse.plugin")
    return _plugin


def coo_of(tensor: Tensor) -> Coo:
    """The components of a tensor of layout ``sparse_coo``."""
    found: Coo = components_of(tensor)
    return found


def parts_of_compressed(tensor: Tensor) -> CompressedParts:
    """The components of a tensor of a compressed layout."""
    found: CompressedParts = components_of(tensor)
    return found


def make_coo(indices: Tensor, values: Tensor, size: Sequence[int], coalesced: bool) -> Tensor:
    """A tensor of layout ``sparse_coo``, without history; the components are not looked at."""
    parts = Coo(indices, values, coalesced or len(values) < 2)
    found: Tensor = (_plugin or plugin()).tensor(SPARSE_COO, size, values.dtype, parts, values)
    return found


def make_compressed(kind: Any, compressed: Tensor, plain: Tensor, values: Tensor, size: Sequence[int]) -> Tensor:
    """A tensor of a compressed layout, without history; the components are not looked at."""
    return from_parts(kind, CompressedParts(compressed, plain, values), size)


def from_parts(kind: Any, parts: CompressedParts, size: Sequence[int]) -> Tensor:
    """A tensor of a compressed layout with these components."""
    found: Tensor = (_plugin or plugin()).tensor(kind, size, parts.values.dtype, parts, parts.values)
    return found


def replace_parts(tensor: Tensor, parts: Coo | CompressedParts, size: Sequence[int] | None = None) -> None:
    """Let a tensor have other components; with a size also that, which raises the version."""
    (_plugin or plugin()).replace(tensor, parts, size, raise_version=size is not None)


def is_coo(value: object) -> bool:
    """Whether something is a tensor of layout ``sparse_coo``."""
    return isinstance(value, Tensor) and not is_strided(value) and type(components_of(value)) is Coo
