"""Sparse tensors as text, character for character as PyTorch prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, components_of, format_tensor

from wengert_sparse.layouts import ROWS
from wengert_sparse.parts import Coo

INDENT = len("tensor(")
QUIET = ("float32", "float64", "int64", "bool", "complex64", "complex128")


def component(name: str, tensor: Tensor) -> str:
    """``indices=tensor([...])`` without a dtype, its lines indented."""
    head = f"{name}=tensor"
    if tensor.numel() == 0:
        return f"{head}([], size={tuple(tensor.shape)})"
    kind = tensor.dtype.name
    plain = tensor.float() if kind in ("float16", "bfloat16") else tensor
    size_text, default = (
        ("int64", "float32") if not (tensor.is_floating_point() or tensor.is_complex()) else (kind, kind)
    )
    if tensor.is_complex():
        default = "float64" if kind == "complex128" else "float32"
    text = format_tensor(
        plain.cpu().numpy(),
        dtype="bool" if kind == "bool" else size_text,
        default_dtype=default,
        name=" " * INDENT + head,
    )
    return text[INDENT:]


def describe(tensor: Any, notes: Sequence[str]) -> str:
    """The text of a sparse tensor without history; notes: ``requires_grad=True`` and the like."""
    parts = components_of(tensor)
    kind = tensor.dtype.name
    default = wc.get_default_dtype().name
    count = f"nnz={parts.values.shape[0] if isinstance(parts, Coo) else parts.plain.shape[-1]}"
    suffixes = [f"size={tuple(tensor.shape)}", count]
    if kind not in (default, "complex128" if default == "float64" else "complex64", "int64", "bool"):
        suffixes.append(f"dtype={tensor.dtype!r}")
    if tensor.device.type != "cpu":
        suffixes.insert(0, f"device='{tensor.device}'")
    suffixes += [f"layout={tensor.layout!r}", *notes]
    if isinstance(parts, Coo):
        pieces = [component("indices", parts.indices), component("values", parts.values)]
    else:
        first, second = ("crow", "col") if tensor.layout in ROWS else ("ccol", "row")
        pieces = [
            component(f"{first}_indices", parts.compressed),
            component(f"{second}_indices", parts.plain),
            component("values", parts.values),
        ]
    text = "tensor(" + (",\n" + " " * INDENT).join(pieces)
    return with_suffixes(text, suffixes, isinstance(parts, Coo))


def with_suffixes(text: str, suffixes: Sequence[str], new_line: bool) -> str:
    """The text with suffixes, each on the last line where it has room; the first on a line of its own if wanted."""
    width = wc.get_printoptions()["linewidth"]
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if new_line or column + len(suffix) + 2 > width:
            text += ",\n" + " " * INDENT + suffix
            column, new_line = INDENT + len(suffix), False
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"
