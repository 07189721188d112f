"""Invariants of the components of a compressed tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.layouts import BLOCKS, ROWS
from wengert_sparse.messages import size_text


def names(kind: Any) -> tuple[str, str]:
    """The names of the two index tensors."""
    return ("crow_indices", "col_indices") if kind in ROWS else ("ccol_indices", "row_indices")


def check_dims(kind: Any, compressed: Tensor, plain: Tensor, values: Tensor, size: Sequence[int]) -> None:
    """RuntimeError for numbers of dims, or sizes of batches, that do not fit each other."""
    first, second = names(kind)
    n_batch = compressed.dim() - 1
    n_block = 2 if kind in BLOCKS else 0
    if values.dim() < n_batch + 1 + n_block:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={n_batch + n_block}), but "
            f"got {values.dim()}"
        )
    if len(size) != n_batch + 2 + values.dim() - n_batch - 1 - n_block:
        raise RuntimeError(
            f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={n_batch + 2} + dense), "
            f"but got size {list(size)} for values of size {size_text(values.shape)}"
        )
    if any(n < 0 for n in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    batch = tuple(size[:n_batch])
    for name, tensor in ((first, compressed), (second, plain), ("values", values)):
        if tuple(tensor.shape[:n_batch]) != batch:
            raise RuntimeError(
                f"all batch dimensions of {name} (={size_text(tensor.shape[:n_batch])}) and of the size "
                f"(={list(batch)}) must be the same"
            )


def check_shapes(kind: Any, compressed: Tensor, plain: Tensor, values: Tensor, size: Sequence[int]) -> None:
    """RuntimeError for components whose shapes do not fit each other, or the size."""
    first, second = names(kind)
    if compressed.dim() < 1 or plain.dim() < 1:
        raise RuntimeError(
            f"{first} and {second} must have at least one dim, got {size_text(compressed.shape)} and "
            f"{size_text(plain.shape)}"
        )
    if compressed.dim() != plain.dim():
        raise RuntimeError(
            f"number of dimensions of {first} and {second} must be the same but got {compressed.dim()} and "
            f"{plain.dim()}, respectively"
        )
    n_batch = compressed.dim() - 1
    n_block = 2 if kind in BLOCKS else 0
    check_dims(kind, compressed, plain, values, size)
    height, width = values.shape[n_batch + 1 : n_batch + 3] if n_block else (1, 1)
    rows, columns = size[n_batch : n_batch + 2]
    if n_block and (not height or not width or rows % height or columns % width):
        raise RuntimeError(
            f"tensor shape[{n_batch}:{n_batch + 2}] ({rows},{columns}) must be divisible with blocksize "
            f"({height},{width})"
        )
    lines = rows // height if kind in ROWS else columns // width
    if compressed.shape[-1] != lines + 1:
        raise RuntimeError(
            f"{first}.shape[-1] must be equal to the number of {'rows' if kind in ROWS else 'columns'} of the tensor "
            f"plus one (={lines + 1}), but got {compressed.shape[-1]}"
        )
    if plain.shape[-1] != values.shape[n_batch]:
        raise RuntimeError(
            f"{second}.shape[-1] must be equal to nnz (={values.shape[n_batch]}) as defined by "
            f"values.shape[{n_batch}], but got {plain.shape[-1]}"
        )
    if tuple(values.shape[n_batch + 1 + n_block :]) != tuple(size[n_batch + 2 :]):
        raise RuntimeError(
            f"values.shape[{n_batch + 1 + n_block}:] must be equal to the dense sizes {list(size[n_batch + 2 :])}, "
            f"but got {size_text(values.shape[n_batch + 1 + n_block :])}"
        )
    check_range(kind, compressed, plain, lines, columns // width if kind in ROWS else rows // height)


def check_range(kind: Any, compressed: Tensor, plain: Tensor, lines: int, others: int) -> None:
    """RuntimeError for indices that do not lie in the tensor: what kernels rely on."""
    first, second = names(kind)
    count = plain.shape[-1]
    if not compressed.numel():
        return
    if not (compressed[..., 0] == 0).all().item():
        raise RuntimeError(f"`{first}[..., 0] == 0` is not satisfied.")
    if not (compressed[..., -1] == count).all().item():
        raise RuntimeError(f"`{first}[..., -1] == nnz` is not satisfied.")
    steps = compressed.diff()
    if steps.numel() and not ((steps >= 0) & (steps <= others)).all().item():
        raise RuntimeError(
            f"`0 <= {first}[..., 1:] - {first}[..., :-1] <= {'n' if kind in ROWS else 'm'}cols` is not satisfied."
        )
    if plain.numel() and not ((plain >= 0) & (plain < others)).all().item():
        raise RuntimeError(f"`0 <= {second} < {'ncols' if kind in ROWS else 'nrows'}` is not satisfied.")


def check_compressed(kind: Any, compressed: Tensor, plain: Tensor, values: Tensor, size: Sequence[int]) -> None:
    """RuntimeError for indices that are not sorted within a row, or column."""
    second = names(kind)[1]
    count = plain.shape[-1]
    if count < 2:
        return
    flat, lines = plain.reshape(-1, count), compressed.shape[-1] - 1
    counts = compressed.reshape(-1, lines + 1).diff()
    line = wc.repeat_interleave(counts.reshape(-1)).reshape(flat.shape)
    same = line[:, 1:] == line[:, :-1]
    if ((flat[:, 1:] <= flat[:, :-1]) & same).any().item():
        raise RuntimeError(
            f"`{second}[..., {names(kind)[0]}[..., i - 1]:{names(kind)[0]}[..., i]] for all i = 1, ..., "
            f"{'nrows' if kind in ROWS else 'ncols'} are sorted and distinct along the last dimension values` is not "
            "satisfied."
        )
