"""The components of sparse tensors: named tuples of strided tensors."""

from __future__ import annotations

from typing import NamedTuple

from wengert_core.extend import Tensor


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
