"""The compiled loops: large and small, of each dtype that they take, in any order, and with wrong indices."""

import numpy as np
import pytest
import wengert as wg

DTYPES = (wg.float32, wg.float64, wg.complex64, wg.complex128)
OTHER_DTYPES = (wg.int64, wg.float16, wg.bool)
COUNTS = (0, 1, 2, 47, 48, 49, 1000, 70_000)


def random_values(rng, shape, dtype):
    """Small integers: their sums are exact in any order, in each dtype."""
    values = rng.integers(-4, 5, shape)
    return wg.tensor(values + 1j * rng.integers(-4, 5, shape) if dtype.is_complex else values, dtype=dtype)


def random_elements(seed, size, sparse_dim, count, dtype):
    """A tensor that is not coalesced."""
    rng = np.random.default_rng(seed)
    indices = np.array([rng.integers(0, n, count) for n in size[:sparse_dim]], np.int64).reshape(sparse_dim, count)
    values = random_values(rng, (count, *size[sparse_dim:]), dtype)
    return wg.sparse_coo_tensor(wg.tensor(indices), values, size)


def in_numpy(tensor):
    """The dense array of a tensor, added by NumPy."""
    indices, values = tensor._indices().numpy(), tensor._values().numpy()
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    dense = np.zeros(tensor.shape, values.dtype)
    with np.errstate(all="ignore"):
        (np.logical_or if values.dtype == bool else np.add).at(dense, tuple(indices), values)
    return dense


SIZES = [((300,), 1), ((90, 70), 2), ((12, 9, 11), 3), ((60, 50, 3), 2), ((40, 2, 3), 1)]


@pytest.mark.parametrize("dtype", [*DTYPES, *OTHER_DTYPES], ids=str)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("size", "sparse_dim"), SIZES)
def test_coalesce_sorts_and_adds(size, sparse_dim, count, dtype):
    x = random_elements(count, size, sparse_dim, count, dtype)
    y = x.coalesce()
    flat = np.ravel_multi_index(tuple(y.indices().numpy()), size[:sparse_dim])
    assert (np.diff(flat) > 0).all()
    whole = in_numpy(x)
    assert y._nnz() == len(set(np.ravel_multi_index(tuple(x._indices().numpy()), size[:sparse_dim])))
    if dtype is not wg.float16:
        assert (in_numpy(y) == whole).all()
        assert (y.to_dense().numpy() == whole).all()
        assert (x.to_dense().numpy() == whole).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("size", "sparse_dim"), SIZES)
@pytest.mark.parametrize("counts", [(0, 5), (5, 0), (40, 60), (300, 40_000), (50_000, 60_000)])
@pytest.mark.parametrize("alpha", [1, -0.5])
def test_sums_of_coalesced_tensors(size, sparse_dim, counts, dtype, alpha):
    a, b = (random_elements(seed, size, sparse_dim, count, dtype).coalesce() for seed, count in enumerate(counts))
    total = wg.add(a, b, alpha=alpha)
    assert total.is_coalesced()
    assert (in_numpy(total) == in_numpy(a) + alpha * in_numpy(b)).all()
    flat = np.ravel_multi_index(tuple(total.indices().numpy()), size[:sparse_dim])
    assert (np.diff(flat) > 0).all()


@pytest.mark.parametrize("layout", [wg.sparse_csr, wg.sparse_csc], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("counts", [(0, 5), (40, 60), (300, 40_000), (50_000, 60_000)])
@pytest.mark.parametrize("rows", [1, 2, 401])
def test_sums_of_compressed_matrices(layout, dtype, counts, rows):
    a, b = (random_elements(seed, (rows, 351), 2, count, dtype).to_sparse(layout=layout)
            for seed, count in enumerate(counts))  # fmt: skip
    total = wg.add(a, b, alpha=2)
    assert total.layout is layout
    assert (total.to_dense() == a.to_dense() + 2 * b.to_dense()).all()
    wg.sparse_compressed_tensor(
        *([total.crow_indices(), total.col_indices()] if layout is wg.sparse_csr else
          [total.ccol_indices(), total.row_indices()]),
        total.values(), total.shape, layout=layout, check_invariants=True,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("width", [0, 1, 3, 16, 19, 64, 87, 130])
@pytest.mark.parametrize("count", [0, 5, 3000])
@pytest.mark.parametrize("index_dtype", [wg.int32, wg.int64], ids=str)
def test_products_with_dense_matrices(dtype, width, count, index_dtype):
    a = random_elements(count, (57, 43), 2, count, dtype)
    dense = random_values(np.random.default_rng(1), (43, width), dtype)
    expected = a.to_dense().numpy() @ dense.numpy()
    coo = a.coalesce()
    csr = coo.to_sparse_csr()
    csr = wg.sparse_csr_tensor(
        csr.crow_indices().to(index_dtype), csr.col_indices().to(index_dtype), csr.values(), csr.shape
    )
    for matrix in (a, coo, csr):
        assert ((matrix @ dense).numpy() == expected).all()
        assert ((matrix @ dense.t().contiguous().t()).numpy() == expected).all()


def test_as_many_threads_as_wanted_compute_the_same():
    rng = np.random.default_rng(0)
    a = random_elements(0, (4000, 3000), 2, 90_000, wg.float32)
    a = wg.sparse_coo_tensor(a._indices(), wg.tensor(rng.standard_normal(90_000), dtype=wg.float32), a.shape)
    b = random_elements(1, (4000, 3000), 2, 80_000, wg.float32).coalesce()
    dense = wg.tensor(rng.standard_normal((3000, 70)), dtype=wg.float32)
    threads = wg.get_num_threads()
    results = []
    for count in (1, 2):
        wg.set_num_threads(count)
        c = a.coalesce()
        sums = c + b, c.to_sparse_csr() + b.to_sparse_csr()
        results.append([c.values(), *(total.values() for total in sums), a @ dense, c.to_sparse_csr() @ dense])
    wg.set_num_threads(threads)
    for one, two in zip(*results, strict=True):
        assert (one == two).all()


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64], ids=str)
@pytest.mark.parametrize("inner", [0, 1, 15, 16, 40])
def test_sampled_products(inner, dtype):
    rng = np.random.default_rng(0)
    a, b = random_values(rng, (20, inner), dtype), random_values(rng, (inner, 30), dtype)
    mask = random_elements(1, (20, 30), 2, 200, dtype).coalesce()
    found = wg.sparse.sampled_addmm(mask, a, b, beta=0)
    assert (found.values() == (a @ b)[tuple(mask.indices())]).all()


@pytest.mark.parametrize("layout", [wg.sparse_csr, wg.sparse_coo, wg.sparse_bsr], ids=str)
def test_sampled_products_of_batches_and_blocks(layout):
    rng = np.random.default_rng(0)
    a, b = random_values(rng, (3, 4, 5), wg.float64), random_values(rng, (3, 5, 6), wg.float64)
    dense = wg.zeros(3, 4, 6, dtype=wg.float64)
    dense[:, :2, 2:4] = 1.0
    mask = dense.to_sparse(layout=layout, **({"blocksize": (2, 2)} if layout is wg.sparse_bsr else {}))
    found = wg.sparse.sampled_addmm(mask, a, b, alpha=2)
    assert found.layout is layout
    assert (found.to_dense() == (dense + 2 * (a @ b)) * dense).all()
    with pytest.raises(RuntimeError, match="to have the same batch size"):
        wg.sparse.sampled_addmm(mask, a[0], b[0])


# ---- indices that are wrong: constructors check not all of them, and tensors can be written to


@pytest.mark.parametrize("index", [-1, 5, 2**40, -(2**62)])
@pytest.mark.parametrize("count", [3, 5000])
def test_indices_outside_are_found_where_memory_would_be_read(index, count):
    indices = wg.zeros(2, count, dtype=wg.int64)
    indices[1, count // 2] = index
    x = wg.sparse_coo_tensor(indices, wg.ones(count), (5, 5))
    with pytest.raises(RuntimeError, match="outside"):
        x @ wg.ones(5, 4)
    with pytest.raises(RuntimeError, match="outside"):
        x.to_dense()


@pytest.mark.parametrize("index", [-1, 5, 2**30])
@pytest.mark.parametrize("dtype", [wg.int32, wg.int64], ids=str)
def test_columns_outside_are_found(index, dtype):
    crow, column = wg.tensor([0, 2, 3], dtype=dtype), wg.tensor([0, 2, 1], dtype=dtype)
    x = wg.sparse_csr_tensor(crow, column, wg.ones(3), (2, 5))
    x.col_indices()[1] = index
    for width in (1, 4, 64, 70):
        with pytest.raises(RuntimeError, match="index of the sparse matrix is outside"):
            x @ wg.ones(5, width)


@pytest.mark.parametrize("crow", [[0, 3, 2], [0, 2**40, 3], [0, -5, 3]])
def test_row_pointers_that_are_not_sorted_are_found(crow):
    x = wg.sparse_csr_tensor(wg.tensor([0, 1, 3]), wg.tensor([0, 1, 2]), wg.ones(3), (2, 5))
    x.crow_indices().copy_(wg.tensor(crow))
    assert (x + x.clone())._nnz() in (3, 6)
    with pytest.raises(RuntimeError, match="row pointers are not sorted"):
        x @ wg.ones(5, 64)


@pytest.mark.parametrize("count", [4, 50_000])
def test_sums_of_tensors_that_are_not_coalesced_although_they_say_so_do_no_harm(count):
    rng = np.random.default_rng(0)
    sums = []
    for seed in (0, 1):
        indices = wg.tensor(np.random.default_rng(seed).integers(0, 100, (2, count)))
        sums.append(wg.sparse_coo_tensor(indices, wg.tensor(rng.standard_normal(count)), (100, 100), is_coalesced=True))
    total = sums[0] + sums[1]
    assert count <= total._nnz() <= 2 * count
    assert wg.allclose(total._values().sum(), sums[0]._values().sum() + sums[1]._values().sum())


def test_components_of_other_shapes_are_refused():
    from wengert_sparse.components import make_coo

    for indices, values, size in [
        (wg.zeros(2, 3, dtype=wg.int64), wg.ones(3), (2,)),
        (wg.zeros(2, 3, dtype=wg.int64), wg.ones(2), (2, 2)),
        (wg.zeros(2, 3, dtype=wg.int32), wg.ones(3), (2, 2)),
        (wg.zeros(2, 3, dtype=wg.int64), wg.ones(3, 4), (2, 2, 3)),
        (wg.zeros(2, 3, dtype=wg.int64), wg.ones(3), (2, -2)),
    ]:
        with pytest.raises(RuntimeError, match="needs indices"):
            make_coo(indices, values, size, False)


def test_another_number_of_dims():
    x = wg.eye(2).to_sparse()
    version = x._version
    assert x.sparse_resize_and_clear_((2, 2, 3), 2, 1) is x
    assert (x.shape, x.sparse_dim(), x.dense_dim(), x._nnz()) == (wg.Size([2, 2, 3]), 2, 1, 0)
    assert x._version > version
    assert (x + x).to_dense().shape == (2, 2, 3)
    x.sparse_resize_((5,), 1, 0)
    assert x.coalesce().to_dense().tolist() == [0.0] * 5
