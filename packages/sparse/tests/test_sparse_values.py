"""Values of operations on sparse tensors against those of strided ones, for random patterns."""

import numpy as np
import pytest
import wengert as wg

from .sparse_cases import COMPRESSED, LAYOUTS, equal, random_coo, random_matrix

SHAPES = [
    ((5,), 1, 4),
    ((4, 6), 2, 9),
    ((4, 6), 1, 5),
    ((3, 4, 2), 2, 6),
    ((2, 3, 4), 3, 7),
    ((4, 6), 2, 0),
    ((0, 3), 2, 0),
    ((1, 1), 2, 5),
]


@pytest.mark.parametrize(("size", "sparse_dim", "count"), SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_round_trips_and_members(size, sparse_dim, count, seed):
    x = random_coo(np.random.default_rng(seed), size, sparse_dim, count)
    dense = x.to_dense()
    assert x.sparse_dim() == sparse_dim
    assert x.dense_dim() == len(size) - sparse_dim
    c = x.coalesce()
    assert c.is_coalesced()
    equal(c, dense)
    flat = np.ravel_multi_index(c.indices().numpy(), size[:sparse_dim]) if sparse_dim and 0 not in size else np.zeros(0)
    assert (np.diff(flat) > 0).all()
    equal(dense.to_sparse(sparse_dim), dense)
    equal(x.clone(), dense)
    assert x.t().shape == x.shape[::-1] if len(size) == 2 and sparse_dim == 2 else True


@pytest.mark.parametrize(("size", "sparse_dim", "count"), SHAPES)
@pytest.mark.parametrize("seed", range(2))
def test_arithmetic(size, sparse_dim, count, seed):
    rng = np.random.default_rng(seed)
    a, b = (random_coo(rng, size, sparse_dim, count, coalesced=bool(k)) for k in range(2))
    c = random_coo(rng, size, sparse_dim, count, coalesced=True)
    da, db, dc = a.to_dense(), b.to_dense(), c.to_dense()
    d = wg.tensor(rng.standard_normal(size))
    for x, y, dx, dy in ((a, b, da, db), (b, c, db, dc), (b, b, db, db)):
        equal(x + y, dx + dy)
        equal(x - y, dx - dy)
        equal(wg.add(x, y, alpha=3), dx + 3 * dy)
        equal(x * y, dx * dy)
    assert (b + c).is_coalesced()
    equal(d + a, d + da)
    equal(d - a, d - da)
    equal(a * d, da * d)
    equal(d * a, da * d)
    equal(a * 2.5, da * 2.5)
    equal(2.5 * a, da * 2.5)
    equal(a / 4, da / 4)
    equal(a**2, da**2)
    equal(-a, -da)
    equal(d.clone().add_(a, alpha=2), d + 2 * da)
    equal(d.t().clone().t().add_(a) if d.dim() == 2 else d.clone().add_(a), d + da)
    equal(a.clone().add_(b), da + db)
    equal(a.clone().mul_(3), da * 3)
    equal(a.clone().mul_(b), da * db)
    equal(a.clone().div_(2), da / 2)
    equal(a.clone().zero_(), da * 0)


def test_a_strided_factor_is_broadcast():
    x = random_coo(np.random.default_rng(0), (3, 4, 2), 2, 6)
    for shape in ((2,), (4, 1), (3, 1, 1), (1, 4, 2), ()):
        d = wg.tensor(np.random.default_rng(1).standard_normal(shape))
        equal(x * d, x.to_dense() * d)


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_batches_and_dense_dims(layout):
    rng = np.random.default_rng(5)
    mask = rng.permutation(24).reshape(4, 6) < 8
    dense = wg.tensor(rng.standard_normal((2, 3, 4, 6)) * mask)
    block = (2, 2) if layout in (wg.sparse_bsr, wg.sparse_bsc) else None
    x = dense.to_sparse(layout=layout, blocksize=block)
    assert x.values().shape[:2] == (2, 3)
    equal(x, dense)
    equal(x.select(0, 1), dense[1])
    hybrid = wg.tensor(rng.standard_normal((4, 6, 2)) * mask[..., None])
    y = hybrid.to_sparse(layout=layout, blocksize=block, dense_dim=1)
    assert y.dense_dim() == 1
    equal(y, hybrid)


def test_unequal_batches_are_refused():
    with pytest.raises(RuntimeError, match="same number of specified elements per batch"):
        wg.tensor([[[1.0, 0.0]], [[1.0, 1.0]]]).to_sparse_csr()


@pytest.mark.parametrize("seed", range(3))
def test_products(seed):
    rng = np.random.default_rng(seed)
    a, b = random_coo(rng, (4, 5), 2, 9), random_coo(rng, (5, 3), 2, 6)
    d, v = wg.tensor(rng.standard_normal((5, 3))), wg.tensor(rng.standard_normal(5))
    da, db = a.to_dense(), b.to_dense()
    equal(a @ d, da @ d)
    equal(wg.sparse.mm(a, d), da @ d)
    equal(a @ b, da @ db)
    equal(da @ b, da @ db)
    equal(a @ v, da @ v)
    added = wg.tensor(rng.standard_normal((4, 3)))
    equal(wg.addmm(added, a, d, beta=2, alpha=3), 2 * added + 3 * (da @ d))
    equal(wg.sparse.addmm(added, a, d, beta=2, alpha=3), 2 * added + 3 * (da @ d))
    equal(wg.smm(a, d), da @ d)
    equal(wg.hspmm(a, d), da @ d)
    equal(wg.sspaddmm(random_coo(rng, (4, 3), 2, 3) * 0, a, d), da @ d)
    mask = random_coo(rng, (4, 3), 2, 5, coalesced=True)
    ones = (mask.to_dense() != 0).to(wg.float64)
    equal(wg.sparse.sampled_addmm(mask, da, d, beta=2, alpha=3), 2 * mask.to_dense() + 3 * (da @ d) * ones)
    batch = random_coo(rng, (2, 4, 5), 3, 11)
    many = wg.tensor(rng.standard_normal((2, 5, 3)))
    equal(wg.bmm(batch, many), batch.to_dense() @ many)


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_reduced_products(reduce):
    x = wg.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, -3.0, 0.0]]).to_sparse_csr()
    d = wg.tensor([[1.0, -1.0], [2.0, 5.0], [-4.0, 3.0]])
    terms = [[[1.0, -1.0], [-8.0, 6.0]], [[0.0, 0.0]], [[-6.0, -15.0]]]
    function = {"sum": np.sum, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
    expected = wg.tensor(np.array([function(np.array(rows), 0) for rows in terms], np.float32))
    equal(wg.sparse.mm(x, d, reduce), expected)


@pytest.mark.parametrize("seed", range(3))
def test_reductions(seed):
    rng = np.random.default_rng(seed)
    x = random_coo(rng, (3, 4, 5, 2), 3, 12)
    d = x.to_dense()
    equal(x.sum(), d.sum())
    for dims in (0, 1, 3, (0, 1), (1, 3), (0, 1, 2), (0, 1, 2, 3)):
        equal(wg.sparse.sum(x, dims), d.sum(dims))
        equal(x.sum(dims), d.sum(dims))
        equal(x.sum(dims, keepdim=True), d.sum(dims, keepdim=True))
    assert bool(x.any())
    assert not bool((x * 0).any())


@pytest.mark.parametrize("seed", range(3))
def test_shapes(seed):
    rng = np.random.default_rng(seed)
    x = random_coo(rng, (4, 5, 6), 2, 14, coalesced=bool(seed % 2))
    y = random_coo(rng, (4, 5, 6), 2, 7)
    d, e = x.to_dense(), y.to_dense()
    for f in (
        lambda a: a.transpose(0, 1),
        lambda a: a.permute(1, 0, 2),
        lambda a: a.unsqueeze(1),
        lambda a: a.unsqueeze(-1),
        lambda a: a.unsqueeze(0).squeeze(0),
        lambda a: a.reshape(20, 6),
        lambda a: a.reshape(4, 5, 3, 2),
        lambda a: a.reshape(2, 60),
        lambda a: a.view(-1),
        lambda a: a.view((4, -1)),
        lambda a: a.view(2, -1, 6),
        lambda a: a[1],
        lambda a: a[:, 2],
        lambda a: a[..., 3],
        lambda a: a[1:3],
        lambda a: a[:, ::2],
        lambda a: a[..., 1:4],
        lambda a: a.narrow_copy(1, 1, 2),
        lambda a: a.index_select(0, wg.tensor([2, 0, 2])),
        lambda a: a.index_select(1, wg.tensor([4, 4])),
        lambda a: a.index_select(2, wg.tensor([0, 5])),
        lambda a: a.flatten(),
        lambda a: a[2, 3],
        lambda a: wg.stack([a[0], a[1]]).unbind(0)[1],
    ):
        equal(f(x), f(d))
    for dim in (0, 1, 2):
        equal(wg.cat([x, y, x], dim), wg.cat([d, e, d], dim))
        equal(wg.stack([x, y], dim), wg.stack([d, e], dim))


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_dtypes_move_with_the_values(layout):
    x = random_matrix(np.random.default_rng(8), layout)
    for dtype in (wg.float32, wg.float16, wg.bfloat16, wg.complex128, wg.int64):
        y = x.to(dtype)
        assert y.dtype is dtype
        assert y.layout is layout
        equal(y.to(wg.complex128), x.to_dense().to(dtype).to(wg.complex128))
    assert x.to("cpu") is x


def test_masks():
    rng = np.random.default_rng(9)
    d, mask = wg.tensor(rng.standard_normal((4, 5))), random_coo(rng, (4, 5), 2, 7)
    there = (mask.to_dense() != 0).to(wg.float64)
    equal(d.sparse_mask(mask.coalesce()), d * there)
    other = random_coo(rng, (4, 5), 2, 9)
    equal(other.sparse_mask(mask.coalesce()), other.to_dense() * there)
    csr = (d * there).to_sparse_csr()
    found = (d * 2).sparse_mask(csr)
    assert found.layout is wg.sparse_csr
    equal(found, d * 2 * there)


def test_words_of_refused_shapes():
    x = wg.ones(2, 2).to_sparse()
    for change in (x.reshape, x.view):
        with pytest.raises(RuntimeError, match="only one dimension can be inferred"):
            change(-1, -1)
        with pytest.raises(RuntimeError, match=r"shape '\[3\]' is invalid for input of size 4"):
            change(3)
    with pytest.raises(RuntimeError, match="expected indices to be a strided tensor"):
        wg.sparse_coo_tensor(x, wg.ones(1), (2,))
