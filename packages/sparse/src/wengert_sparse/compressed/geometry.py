"""The dims of a compressed tensor: batches, rows, columns, blocks and dense dims."""

from __future__ import annotations

import math
from typing import NamedTuple

from wengert_core.extend import Tensor

from wengert_sparse.components import parts_of_compressed
from wengert_sparse.layouts import BLOCKS


class Geometry(NamedTuple):
    """The sizes of a compressed tensor by their roles."""

    batch: tuple[int, ...]
    rows: int
    columns: int
    block: tuple[int, int] | None  # None: values are elements
    dense: tuple[int, ...]

    @property
    def batches(self) -> int:
        """The number of matrices."""
        return math.prod(self.batch)

    @property
    def blocks(self) -> tuple[int, int]:
        """The numbers of rows and columns, of blocks in a block layout."""
        height, width = self.block or (1, 1)
        return self.rows // max(height, 1), self.columns // max(width, 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return (*self.batch, self.rows, self.columns, *self.dense)


def geometry_of(tensor: Tensor) -> Geometry:
    """The geometry of a compressed tensor."""
    parts, shape = parts_of_compressed(tensor), tuple(tensor.shape)
    n_batch = parts.compressed.dim() - 1
    block = None
    if tensor.layout in BLOCKS:
        height, width = parts.values.shape[n_batch + 1 : n_batch + 3]
        block = (int(height), int(width))
    return Geometry(shape[:n_batch], shape[n_batch], shape[n_batch + 1], block, shape[n_batch + 2 :])


def dense_dim_of(tensor: Tensor) -> int:
    """The number of dense dims of a compressed tensor."""
    return tensor.dim() - 1 - parts_of_compressed(tensor).compressed.dim()
