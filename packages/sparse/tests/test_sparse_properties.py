"""Laws that hold for any sparsity: random patterns of each layout against NumPy, strided tensors and SciPy."""

import numpy as np
import pytest
import scipy.sparse as sp
import wengert as wg

from .sparse_cases import BLOCKS, COMPRESSED, LAYOUTS, build, equal, random_pattern

COO, CSR, CSC, BSR, BSC = LAYOUTS
SEEDS = range(3)
# Shape, number of dense dims, share of the elements that are specified: few, none, one, all; empty dims.
SIZES = {
    "few": ((4, 6), 0, 0.3), "none": ((4, 6), 0, 0.0), "one": ((4, 6), 0, 0.01), "all": ((4, 6), 0, 1.0),
    "single": ((1, 1), 0, 1.0), "no rows": ((0, 6), 0, 0.5), "no columns": ((4, 0), 0, 0.5),
    "batch": ((2, 3, 4, 6), 0, 0.4), "no batch": ((0, 4, 6), 0, 0.4), "hybrid": ((4, 6, 2), 1, 0.4),
    "two dense dims": ((4, 6, 2, 3), 2, 0.4), "no dense element": ((4, 6, 0), 1, 0.4), "both": ((3, 4, 6, 2), 1, 0.4),
}  # fmt: skip
MATRICES = [name for name, (shape, dense, _) in SIZES.items() if len(shape) - dense == 2]
PLAIN_MATRICES = [name for name in MATRICES if not SIZES[name][1]]


def random_case(seed, layout, name, pattern="", block=None, equal_batches=False):
    """A random tensor of a layout and the array with the same elements."""
    shape, dense, share = SIZES[name]
    rng = np.random.default_rng([seed, len(name), LAYOUTS.index(layout)])
    specified = random_pattern(rng, CSR if layout is COO and equal_batches else layout, shape, dense, share, block)
    if equal_batches and len(shape) - dense > 2 and specified.size:
        specified = np.broadcast_to(specified[(0,) * (specified.ndim - 2)], specified.shape)
    array = rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)
    height, width = block or (1, 1)
    mask = specified.repeat(height, -2).repeat(width, -1) if layout in BLOCKS else specified
    whole = np.where(mask.reshape(*mask.shape, *[1] * dense), array, 0.0)
    return build(layout, array, specified, pattern, rng, block), whole


def patterns_of(layout):
    return ["coalesced", "unsorted", "duplicates"] if layout is COO else ["int64", "int32"]


EVERY = [pytest.param(layout, pattern, id=f"{layout._name}-{pattern}")
         for layout in LAYOUTS for pattern in patterns_of(layout)]  # fmt: skip


def block_for(layout, name):
    if layout not in BLOCKS:
        return None
    return (1, 1) if name == "single" else (2, 1) if name == "both" else (2, 3)


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize(("layout", "pattern"), EVERY)
@pytest.mark.parametrize("seed", SEEDS)
def test_elements(layout, pattern, name, seed):
    """A tensor has the elements that its components say, and so have its copies."""
    x, array = random_case(seed, layout, name, pattern, block_for(layout, name))
    dense = wg.tensor(array)
    for same in (
        x,
        x.clone(),
        x.detach(),
        x.clone().zero_().copy_(x) if layout is wg.sparse_coo else x.clone().copy_(x),
        x.to(wg.complex128).to(wg.complex128),
    ):
        equal(same, dense.to(same.dtype))
        assert same.layout is layout
    if layout is COO:
        c = x.coalesce()
        flat = np.ravel_multi_index(c.indices().numpy(), c.shape[: c.sparse_dim()]) if c._nnz() else np.zeros(0)
        assert (np.diff(flat) > 0).all()
        equal(c, dense)


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("target", LAYOUTS, ids=repr)
@pytest.mark.parametrize(("layout", "pattern"), EVERY)
def test_round_trips(layout, pattern, target, name):
    """A tensor in another layout, strided, and in its own again, has the same elements."""
    x, array = random_case(0, layout, name, pattern, block_for(layout, name), equal_batches=True)
    there = x.to_sparse(layout=target, blocksize=block_for(target, name))
    equal(there, wg.tensor(array))
    assert (there.layout, there.dense_dim()) == (target, x.dense_dim())
    if layout in COMPRESSED and target in COMPRESSED:
        assert there.values().dtype is x.values().dtype
        assert indices_of(there).dtype is indices_of(x).dtype
    back = there.to_sparse(layout=layout, blocksize=block_for(layout, name))
    equal(back, wg.tensor(array))
    assert back.layout is layout
    if layout not in BLOCKS and target not in BLOCKS:  # blocks have zeros that are specified
        assert count(back) == count(x)


def count(x):
    """The number of specified elements, without duplicates."""
    return (x.coalesce() if x.layout is COO else x)._nnz()


def indices_of(x):
    return x.crow_indices() if x.layout in (CSR, BSR) else x.ccol_indices()


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("seed", SEEDS)
def test_from_strided(layout, name, seed):
    shape, dense, _ = SIZES[name]
    x, array = random_case(seed, layout, name, block=block_for(layout, name), equal_batches=True)
    options = {"dense_dim": dense, "blocksize": block_for(layout, name)} if layout is not COO else {}
    found = wg.tensor(array).to_sparse(*[len(shape) - dense] * (layout is COO), layout=layout, **options)
    equal(found, wg.tensor(array))
    assert found.dense_dim() == dense
    assert found._nnz() == (x._nnz() if array.size else 0)


@pytest.mark.parametrize("block", [(1, 1), (1, 3), (2, 1), (2, 2), (4, 6)])
@pytest.mark.parametrize("other", [(1, 1), (2, 3), (4, 2)])
@pytest.mark.parametrize("layout", BLOCKS, ids=repr)
def test_sizes_of_blocks(layout, block, other):
    x, array = random_case(1, layout, "few", block=block)
    for target in BLOCKS:
        y = x.to_sparse(layout=target, blocksize=other)
        equal(y, wg.tensor(array))
        assert tuple(y.values().shape[1:3]) == other
    equal(x.to_sparse(layout=CSC), wg.tensor(array))
    equal(x.t(), wg.tensor(array.T))
    assert tuple(x.t().values().shape[1:3]) == block[::-1]


# ---- algebra


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize(("layout", "pattern"), EVERY)
@pytest.mark.parametrize("seed", SEEDS)
def test_laws_of_one_tensor(layout, pattern, name, seed):
    x, array = random_case(seed, layout, name, pattern, block_for(layout, name))
    d = wg.tensor(array)
    for function in (
        lambda a: -a, lambda a: a * 2.5, lambda a: a / 4, lambda a: a**2, lambda a: a.sin(), lambda a: a.abs().sqrt(),
        lambda a: a.sign(), lambda a: a - a, lambda a: a + a, lambda a: a * a, lambda a: a.clone().mul_(3),
        lambda a: a.clone().add_(a, alpha=2), lambda a: a.clone().zero_(), lambda a: a.clone().div_(2),
    ):  # fmt: skip
        found = function(x)
        equal(found, function(d))
        assert found.layout is layout
    equal(x.sum(), d.sum())
    assert bool(x.any()) == bool(d.any())


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(("layout", "pattern"), EVERY)
@pytest.mark.parametrize("seed", SEEDS)
def test_laws_of_two_tensors(layout, pattern, name, seed):
    (x, a), (y, b) = (random_case(s, layout, name, pattern, block_for(layout, name)) for s in (seed, seed + 100))
    dx, dy = wg.tensor(a), wg.tensor(b)
    strided = wg.tensor(np.random.default_rng(seed).standard_normal(a.shape))
    for found, expected in (
        (x + y, dx + dy), (y + x, dx + dy), (x - y, dx - dy), (wg.add(x, y, alpha=3), dx + 3 * dy),
        (x * y, dx * dy), (y * x, dx * dy), ((x + y) * x, dx * dx + dy * dx), ((x + y) - y, dx),
        (x * strided, dx * strided), (strided * x, dx * strided), (strided + x, strided + dx),
        (strided - x, strided - dx), (strided.clone().add_(x, alpha=2), strided + 2 * dx),
        (x.clone().add_(y), dx + dy), (x.clone().mul_(y), dx * dy),
        (x.clone().copy_(y) if layout is COO else y, dy),
        (wg.cat([x, y], 0), wg.cat([dx, dy], 0)), (wg.cat([x, y], 1), wg.cat([dx, dy], 1)),
    ):  # fmt: skip
        equal(found, expected)


@pytest.mark.parametrize("name", PLAIN_MATRICES)
@pytest.mark.parametrize(("layout", "pattern"), EVERY)
@pytest.mark.parametrize("seed", SEEDS)
def test_laws_of_matrices(layout, pattern, name, seed):
    rng = np.random.default_rng(seed)
    x, a = random_case(seed, layout, name, pattern, block_for(layout, name))
    d, right, left = wg.tensor(a), wg.tensor(rng.standard_normal((a.shape[1], 3))), wg.tensor(rng.random((2, len(a))))
    for found, expected in (
        (x.t(), d.t()), (x.t().t(), d), (x @ right, d @ right), (left @ x, left @ d),
        (wg.sparse.mm(x, right), d @ right),
        (wg.mv(x, right[:, 0]), d @ right[:, 0]), (x.t() @ left.t(), d.t() @ left.t()),
        (x.sum(0), d.sum(0)), (x.sum(1, keepdim=True), d.sum(1, keepdim=True)),
        (wg.addmm(wg.ones(len(a), 3, dtype=d.dtype), x, right, beta=2, alpha=3), 2 + 3 * (d @ right)),
    ):  # fmt: skip
        equal(found, expected)
    if len(a):
        equal(x[0], d[0])
        equal(x.index_select(0, wg.arange(len(a)).flip(0)), d.flip(0))
    if layout not in BLOCKS:
        equal(x @ x.t(), d @ d.t())
        equal(x.t() @ x, d.t() @ d)


# ---- SciPy

SCIPY = {
    "add": (lambda x: x + x * 2, lambda s: s + s * 2), "square": (lambda x: x * x, lambda s: s.multiply(s)),
    "mm": (lambda x: x @ x.t(), lambda s: s @ s.T), "t": (lambda x: x.t(), lambda s: s.T),
    "sin": (lambda x: x.sin(), lambda s: s.sin()), "expm1": (lambda x: x.expm1(), lambda s: s.expm1()),
    "abs": (lambda x: x.abs(), abs), "power": (lambda x: x**3, lambda s: s.power(3)),
    "sum": (lambda x: x.sum(0), lambda s: s.sum(0)), "reshape": (lambda x: x.to_sparse().reshape(2, -1),
                                                                lambda s: s.reshape((2, -1))),
    "csc": (lambda x: x.to_sparse_csc(), lambda s: s.tocsc()), "bsr": (lambda x: x.to_sparse_bsr((2, 3)),
                                                                      lambda s: s.tobsr((2, 3))),
    "dense": (lambda x: x @ wg.ones(6, 2, dtype=wg.float64), lambda s: s @ np.ones((6, 2))),
    "select": (lambda x: x[2], lambda s: s.tocsr()[[2]].toarray()[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("size", ["few", "none", "one", "all"])
@pytest.mark.parametrize("layout", [COO, CSR, CSC], ids=repr)
def test_scipy_computes_the_same(layout, size, name):
    x, array = random_case(5, layout, size, "duplicates" if layout is COO else "")
    ours, theirs = SCIPY[name]
    expected = theirs(wg.sparse.to_scipy(x).tocsr())
    assert np.array_equal(wg.sparse.to_scipy(x).toarray() != 0, array != 0)
    expected = expected.toarray() if sp.issparse(expected) else np.asarray(expected)
    found = ours(x)
    equal(found if found.layout is not wg.strided else found.to_sparse(), wg.tensor(expected))


def embed(x, rows, columns, size):
    """A matrix in a larger one, its rows and columns at some places."""
    row, column = x._indices().numpy()
    return wg.sparse_coo_tensor(wg.tensor(np.stack([rows[row], columns[column]])), x._values(), size)


@pytest.mark.parametrize("size", [(1 << 40, 1 << 20, 1 << 22), (1 << 20, 1 << 40, 1 << 20), (4, 1 << 50, 8)])
@pytest.mark.parametrize("seed", SEEDS)
def test_products_of_matrices_with_huge_dims(size, seed):
    """They have the elements of the product of the small matrices, at the same rows and columns."""
    rng = np.random.default_rng(seed)
    (x, a), (y, b) = random_case(seed, COO, "few", "duplicates"), random_case(seed + 1, COO, "few", "unsorted")
    rows, inner, columns = (
        np.arange(n) * (m // n) + rng.integers(m // n) for m, n in zip(size, (4, 6, 4), strict=True)
    )
    found = embed(x, rows, inner, size[:2]) @ embed(y.t(), inner, columns, size[1:])
    places = [np.searchsorted(n, i) for n, i in zip((rows, columns), found.indices().numpy(), strict=True)]
    small = wg.sparse_coo_tensor(
        wg.tensor(np.stack(places)),
        found.values(),
        (4, 4),
    )
    assert wg.equal(embed(small, rows, columns, found.shape)._indices(), found._indices())
    equal(small, wg.tensor(a @ b.T))
