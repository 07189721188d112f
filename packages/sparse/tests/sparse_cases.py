"""Random sparse tensors of each layout, and functions of them."""

from __future__ import annotations

import numpy as np
import wengert as wg

COMPRESSED = (wg.sparse_csr, wg.sparse_csc, wg.sparse_bsr, wg.sparse_bsc)
LAYOUTS = (wg.sparse_coo, *COMPRESSED)


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
