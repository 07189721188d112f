"""Random sparse tensors of each layout, and functions of them."""

from __future__ import annotations

import numpy as np
import wengert as wg

COMPRESSED = (wg.sparse_csr, wg.sparse_csc, wg.sparse_bsr, wg.sparse_bsc)
LAYOUTS = (wg.sparse_coo, *COMPRESSED)
ROWS = (wg.sparse_csr, wg.sparse_bsr)
BLOCKS = (wg.sparse_bsr, wg.sparse_bsc)


def block_size(layout, rows, columns):
    """The size of the blocks that tests give a matrix: two rows, or two columns; 1 x 1 in layouts without blocks."""
    if layout not in BLOCKS:
        return 1, 1
    return (2, 1) if rows % 2 == 0 else (1, 2) if columns % 2 == 0 else (1, 1)


def random_pattern(rng, layout, shape, dense=0, share=0.4, block=None):
    """Whether each element, or block, of the dims that are not dense is specified; equally many of each matrix."""
    shape = shape[: len(shape) - dense]
    if layout is wg.sparse_coo:
        return rng.permutation(int(np.prod(shape))).reshape(shape) < np.ceil(share * np.prod(shape))
    *batch, rows, columns = shape  # ValueError for fewer dims, which a compressed layout does not have
    height, width = block or block_size(layout, rows, columns)
    size = rows // height, columns // width
    batches = int(np.prod(batch))
    chosen = [rng.permutation(size[0] * size[1]) < np.ceil(share * size[0] * size[1]) for _ in range(batches)]
    return np.reshape(chosen, (*batch, *size)).astype(bool)


def build(layout, array, specified, pattern="", rng=None, block=None):
    """A tensor of a layout with the elements, or blocks, of an array that a pattern says, by its constructor alone.

    pattern: "duplicates": each element of sparse_coo is the sum of two at random places; "unsorted": one, at a random
    place; "int32": the dtype of the indices.
    """
    if layout is wg.sparse_coo:
        indices, values = np.array(specified.nonzero()).reshape(specified.ndim, -1), array[specified]
        if pattern == "duplicates":
            part = rng.uniform(0.25, 0.75, len(values)).reshape(-1, *[1] * (values.ndim - 1)).astype(values.real.dtype)
            indices, values = np.tile(indices, 2), np.concatenate([values * part, values * (1 - part)])
        if pattern in ("duplicates", "unsorted"):
            order = rng.permutation(len(values))
            indices, values = indices[:, order], values[order]
        return wg.sparse_coo_tensor(
            wg.tensor(indices), wg.tensor(values), array.shape, is_coalesced=pattern in ("", "coalesced")
        )
    compressed, plain, values = compressed_components(layout, array, specified, block)
    kind = np.int32 if pattern == "int32" else np.int64
    return wg.sparse_compressed_tensor(
        wg.tensor(compressed.astype(kind)), wg.tensor(plain.astype(kind)), wg.tensor(values), array.shape, layout=layout
    )


def compressed_components(layout, array, specified, block=None):
    """The three components of a compressed tensor, computed by NumPy."""
    n_batch, shape = specified.ndim - 2, array.shape
    batch, (rows, columns), dense = shape[:n_batch], shape[n_batch : n_batch + 2], shape[n_batch + 2 :]
    height, width = block or block_size(layout, rows, columns)
    count = int(np.prod(batch))
    grid = array.reshape(count, rows // height, height, columns // width, width, *dense).swapaxes(2, 3)
    mask = specified.reshape(count, *specified.shape[n_batch:])
    mask, grid = (mask, grid) if layout in ROWS else (mask.swapaxes(1, 2), grid.swapaxes(1, 2))
    values = grid[mask] if layout in BLOCKS else grid[mask][:, 0, 0]
    counts = mask.sum(2)
    compressed = np.concatenate([np.zeros_like(counts[:, :1], shape=(len(counts), 1)), counts.cumsum(1)], 1)
    each = int(counts[0].sum()) if len(counts) else 0
    return (
        compressed.reshape(*batch, mask.shape[1] + 1),
        mask.nonzero()[2].reshape(*batch, each),
        values.reshape(*batch, each, *values.shape[1:]),
    )


def random_coo(rng, size, sparse_dim, count, dtype=wg.float64, coalesced=False):
    """A tensor of layout sparse_coo with ``count`` random elements, duplicates among them."""
    if 0 in size[:sparse_dim]:
        count = 0
    indices = np.array([rng.integers(0, max(n, 1), count) for n in size[:sparse_dim]], np.int64).reshape(
        sparse_dim, count
    )
    values = rng.standard_normal((count, *size[sparse_dim:]))
    if dtype.is_complex:
        values = values + 1j * rng.standard_normal(values.shape)
    found = wg.sparse_coo_tensor(wg.tensor(indices), wg.tensor(values, dtype=dtype), size)
    return found.coalesce() if coalesced else found


def random_matrix(rng, layout, rows=4, columns=6, dtype=wg.float64):
    """A matrix of a layout, about a third of its elements specified."""
    values = rng.standard_normal((rows, columns)) * (rng.random((rows, columns)) < 0.4)
    values[0, 0] = 1.5
    if layout in (wg.sparse_bsr, wg.sparse_bsc):  # no zero in a block that is specified
        used = np.kron(np.array([[1, 0], [1, 1]]), np.ones((rows // 2, columns // 2))) != 0
        values = np.where(used, rng.standard_normal((rows, columns)), 0)
    dense = wg.tensor(values, dtype=dtype)
    if layout in (wg.sparse_bsr, wg.sparse_bsc):
        return dense.to_sparse(layout=layout, blocksize=(2, 3))
    return dense.to_sparse(layout=layout)


def equal(sparse, dense, **options):
    """Assert that a tensor has the elements of a strided one."""
    whole = sparse.to_dense()
    assert whole.shape == dense.shape, (whole.shape, dense.shape)
    assert wg.allclose(whole, dense, equal_nan=True, **options), (whole, dense)
