"""Operations on compressed tensors: values against those of strided tensors, layouts, index dtypes, memory, errors."""

import resource
import subprocess
import sys

import numpy as np
import pytest
import wengert as wg

from .sparse_cases import COMPRESSED, equal, random_matrix

BLOCKS = (wg.sparse_bsr, wg.sparse_bsc)
RNG = np.random.default_rng(0)
D63, D24, D43, V6 = (wg.tensor(RNG.standard_normal(size)) for size in ((6, 3), (2, 4), (4, 3), (6,)))
COLUMN_LAYOUTS = (wg.sparse_csc, wg.sparse_bsc)


def in_layout(dense, layout, block=(2, 3), dense_dim=None):
    return dense.to_sparse(layout=layout, blocksize=block if layout in BLOCKS else None, dense_dim=dense_dim)


def batch(layout, seed=0):
    mask = np.kron(np.array([[0, 1], [1, 0]]), np.ones((2, 3)))
    return in_layout(wg.tensor(np.random.default_rng(seed).standard_normal((2, 4, 6)) * mask), layout)


def plain(x):
    return x.col_indices() if x.layout in (wg.sparse_csr, wg.sparse_bsr) else x.row_indices()


def with_index_dtype(x, dtype):
    rows = x.layout in (wg.sparse_csr, wg.sparse_bsr)
    parts = (x.crow_indices(), x.col_indices()) if rows else (x.ccol_indices(), x.row_indices())
    return wg.sparse_compressed_tensor(*(each.to(dtype) for each in parts), x.values(), x.shape, layout=x.layout)


KEEP_THE_LAYOUT = {
    "slice_rows": lambda x: x[1:3],
    "slice_blocks": lambda x: x[2:4],
    "slice_columns": lambda x: x[:, 1:5],
    "slice_block_columns": lambda x: x[:, 3:],
    "slice_steps": lambda x: x[::3, ::2],
    "slice_none": lambda x: x[2:1],
    "slice_none_columns": lambda x: x[:, 6:],
    "narrow": lambda x: x.narrow(0, 1, 2),
    "index_rows": lambda x: x.index_select(0, wg.tensor([3, 0, 3, 1])),
    "index_columns": lambda x: x.index_select(1, wg.tensor([5, 0, 2])),
    "index_none": lambda x: x.index_select(0, wg.tensor([], dtype=wg.int64)),
    "cat": lambda x: wg.cat([x, x * 2, x[1:3]]),
    "cat_columns": lambda x: wg.cat([x[:, 4:], x], 1),
    "stack": lambda x: wg.stack([x, x * 2, -x]),
    "sum_rows": lambda x: x.sum(0, keepdim=True),
    "sum_columns": lambda x: x.sum(1, keepdim=True),
    "sum_all": lambda x: x.sum((0, 1), keepdim=True),
    "angle": lambda x: x.angle(),
}


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("name", KEEP_THE_LAYOUT)
@pytest.mark.parametrize("seed", range(3))
def test_operations_that_keep_the_layout(name, layout, seed):
    x = with_index_dtype(random_matrix(np.random.default_rng(seed), layout), wg.int32 if seed else wg.int64)
    found, expected = KEEP_THE_LAYOUT[name](x), KEEP_THE_LAYOUT[name](x.to_dense())
    assert found.layout is layout
    assert plain(found).dtype is plain(x).dtype
    equal(found, expected)
    wg.sparse_compressed_tensor(*parts(found), found.shape, layout=layout, check_invariants=True)


def parts(x):
    rows = x.layout in (wg.sparse_csr, wg.sparse_bsr)
    return (*((x.crow_indices(), x.col_indices()) if rows else (x.ccol_indices(), x.row_indices())), x.values())


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_rows_and_columns(layout):
    x = random_matrix(np.random.default_rng(1), layout)
    d = x.to_dense()
    for index in range(-4, 4):
        for found, expected in ((x[index], d[index]), (x[:, index], d[:, index])):
            assert found.layout is wg.sparse_coo
            assert found.is_coalesced()
            equal(found, expected)
    assert x[1, 2].item() == d[1, 2].item()
    assert [row.to_dense().tolist() for row in x] == d.tolist()
    equal(x.sum(0), d.sum(0))
    assert x.sum(0).layout is wg.sparse_coo
    with pytest.raises(
        IndexError, match=r"select\(\): index 4 out of range for tensor of size \[4, 6\] at dimension 0"
    ):
        x.select(0, 4)
    with pytest.raises(IndexError, match="index contains 6 that is out of range"):
        x.index_select(1, wg.tensor([0, 6]))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_rows_whose_indices_are_not_sorted(layout):
    if layout in BLOCKS:
        x = wg.sparse_compressed_tensor([0, 2], [1, 0], [[[1.0]], [[2.0]]], layout=layout)
    else:
        x = wg.sparse_compressed_tensor([0, 2], [1, 0], [1.0, 2.0], layout=layout)
    line = x[0] if layout not in COLUMN_LAYOUTS else x[:, 0]
    assert not line.is_coalesced()
    assert line.to_dense().tolist() == [2.0, 1.0]
    equal(wg.cat([x, x]), wg.cat([x.to_dense(), x.to_dense()]))


@pytest.mark.parametrize("layout", BLOCKS, ids=repr)
def test_slices_keep_blocks_where_they_cut_none(layout):
    x = random_matrix(np.random.default_rng(1), layout)
    assert x[2:].values().shape[1:] == (2, 3)
    assert x[1:].values().shape[1:] == (1, 3)
    assert x[:, 3:].values().shape[1:] == (2, 3)
    assert x[:, 1:4].values().shape[1:] == (2, 1)
    assert x.sum(0, keepdim=True).values().shape[1:] == (1, 3)


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_batches(layout):
    x, y = batch(layout), batch(layout, 1)
    d, e = x.to_dense(), y.to_dense()
    many = wg.tensor(np.random.default_rng(2).standard_normal((2, 6, 3)))
    for function, kept in (
        (lambda a, b: a[1:], True),
        (lambda a, b: a[:, :2], True),
        (lambda a, b: a[:, :, 1:4], True),
        (lambda a, b: a[:, 1], False),
        (lambda a, b: a[..., 2], False),
        (lambda a, b: a.index_select(0, wg.tensor([1, 0, 1])), True),
        (lambda a, b: a.index_select(1, wg.tensor([1, 2])), True),
        (lambda a, b: wg.cat([a, b]), True),
        (lambda a, b: wg.cat([a, b], 1), True),
        (lambda a, b: wg.cat([a, b], 2), True),
        (lambda a, b: wg.stack([a, b], 1), True),
        (lambda a, b: a.sum(0, keepdim=True), True),
        (lambda a, b: a.sum(2, keepdim=True), True),
        (lambda a, b: a.sum((0, 1)), False),
    ):
        found = function(x, y)
        equal(found, function(d, e))
        assert found.layout is (layout if kept else wg.sparse_coo)
    for found, expected in (
        (x @ many, d @ many),
        (wg.bmm(many.transpose(1, 2)[..., :4], y), many.transpose(1, 2)[..., :4] @ e),
        (wg.baddbmm(many[:, :4], x, many, beta=2), 2 * many[:, :4] + d @ many),
        (wg.bmm(x, y.transpose(1, 2)), d @ e.transpose(1, 2)),
    ):
        equal(found, expected)
    for function in (
        lambda a: a.reshape(8, 6),
        lambda a: a.view(-1, 6),
        lambda a: a.reshape(4, 2, 6),
        lambda a: a.reshape(1, 2, 4, 6),
        lambda a: a.flatten(0, 1),
        lambda a: a.reshape(8, 6).reshape(2, 4, 6),
    ):
        assert function(x).layout is layout
        equal(function(x), function(d))
    equal(x @ many[0], d @ many[0])
    equal(x @ many[0, :, 0], d @ many[0, :, 0])
    with pytest.raises(RuntimeError, match="its columns and dense dims stay"):
        x.reshape(2, 6, 4)
    with pytest.raises(RuntimeError, match="bmm: Expected batches of matrices that have a product"):
        wg.bmm(x, x)
    with pytest.raises(RuntimeError, match="Expect the same number of specified elements per batch"):
        wg.cat([x, in_layout(wg.ones(2, 4, 6, dtype=wg.float64), layout)])
    with pytest.raises(RuntimeError, match="Expect the same number of specified elements per batch, got"):
        wg.cat([x, in_layout(d.flip(1).contiguous(), layout)])[:, :2, :3]


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_dense_dims(layout):
    mask = np.kron(np.array([[0, 1], [1, 0]]), np.ones((2, 3)))[..., None]
    d = wg.tensor(np.random.default_rng(3).standard_normal((4, 6, 2)) * mask)
    x = in_layout(d, layout, dense_dim=1)
    for function in (
        lambda a: a[..., 1],
        lambda a: a[..., :1],
        lambda a: a[1:3],
        lambda a: a.index_select(2, wg.tensor([1, 0, 1])),
        lambda a: a.index_select(1, wg.tensor([5, 0])),
        lambda a: wg.cat([a, a * 2], 2),
        lambda a: wg.cat([a, a * 2], 1),
        lambda a: a.sum((1, 2), keepdim=True),
    ):
        found = function(x)
        assert found.layout is layout
        equal(found, function(d))
    equal(x[1], d[1])
    other = in_layout(d.flip(0).contiguous(), layout, dense_dim=1)
    equal(wg.cat([x, other], 2), wg.cat([d, other.to_dense()], 2))
    with pytest.raises(RuntimeError, match="dense dims"):
        wg.mm(x, D63)


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("other", [wg.sparse_coo, *COMPRESSED], ids=repr)
def test_several_layouts(layout, other):
    x, y = random_matrix(np.random.default_rng(1), layout), random_matrix(np.random.default_rng(2), other)
    found = wg.cat([x, y])
    assert found.layout is layout
    equal(found, wg.cat([x.to_dense(), y.to_dense()]))
    equal(x @ y.t(), x.to_dense() @ y.to_dense().t())
    equal(x * y, x.to_dense() * y.to_dense())
    if other is not wg.sparse_coo:
        assert (x + y).layout is layout
        equal(x + y, x.to_dense() + y.to_dense())
    with pytest.raises(RuntimeError, match="a dense tensor was found at position 1"):
        wg.cat([x, y.to_dense()])


@pytest.mark.parametrize("size", [(4, 6, 3), (60, 90, 40)])
@pytest.mark.parametrize("dtype", [wg.float64, wg.float32, wg.float16, wg.bfloat16, wg.complex64, wg.int32], ids=repr)
@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_products(layout, dtype, size):
    rng = np.random.default_rng(1)
    rows, inner, columns = size
    a = rng.integers(-3, 4, (rows, inner)) * (rng.random((rows, inner)) < 0.6)
    x = in_layout(wg.tensor(a).to(dtype), layout)
    right, left, vector = (wg.tensor(rng.integers(-3, 4, n)).to(dtype) for n in ((inner, columns), (2, rows), (inner,)))
    whole, kind = x.to_dense().to(wg.complex128), wg.complex128
    added = wg.tensor(rng.integers(-3, 4, (rows, columns))).to(dtype)
    for found, expected in (
        (x @ right, whole @ right.to(kind)),
        (left @ x, left.to(kind) @ whole),
        (x @ vector, whole @ vector.to(kind)),
        (wg.addmm(added, x, right, beta=2, alpha=3), 2 * added.to(kind) + 3 * (whole @ right.to(kind))),
        (wg.addmm(added[0], x, right), added[0].to(kind) + whole @ right.to(kind)),
        (wg.addmv(added[:, 0], x, vector), added[:, 0].to(kind) + whole @ vector.to(kind)),
    ):
        assert found.dtype is dtype
        assert found.layout is wg.strided
        assert wg.allclose(found.to(kind), expected, rtol=1e-2 if dtype in (wg.float16, wg.bfloat16) else 1e-6)


def test_a_product_of_compressed_columns_has_compressed_rows():
    x = random_matrix(np.random.default_rng(1), wg.sparse_csc)
    y = random_matrix(np.random.default_rng(2), wg.sparse_csr).t()
    assert (x @ y).layout is (y.t() @ x.t()).layout is wg.sparse_csr
    equal(x @ y, x.to_dense() @ y.to_dense())
    narrow = with_index_dtype(x, wg.int32)
    assert (narrow @ narrow.t()).col_indices().dtype is wg.int32
    assert (narrow @ y).col_indices().dtype is wg.int64
    equal(wg.addmm(x @ y, x, y, beta=2, alpha=3), 5 * (x.to_dense() @ y.to_dense()))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_linear(layout):
    w, d = random_matrix(np.random.default_rng(1), layout), random_matrix(np.random.default_rng(1), layout).to_dense()
    inputs, bias = wg.tensor(RNG.standard_normal((2, 3, 6))), wg.tensor(RNG.standard_normal(4))
    linear = wg.nn.functional.linear
    for x in (inputs, inputs[0], inputs[0, 0]):
        assert wg.allclose(linear(x, w), linear(x, d))
        assert wg.allclose(linear(x, w, bias), linear(x, d, bias))


# ---- conversions


@pytest.mark.parametrize("layout", BLOCKS, ids=repr)
@pytest.mark.parametrize("block", [(1, 1), (2, 2), (4, 6), (1, 3)])
def test_blocks_of_another_size(layout, block):
    x = random_matrix(np.random.default_rng(1), layout)
    for found in (
        x.to_sparse_bsr(block),
        x.to_sparse_bsc(block),
        x.to_sparse(layout=layout, blocksize=block),
        batch(layout)[0].to_sparse(layout=layout, blocksize=block),
    ):
        assert found.values().shape[1:] == block
    equal(x.to_sparse(layout=layout, blocksize=block), x.to_dense())


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_arguments_that_conversions_do_not_have(layout):
    x = random_matrix(np.random.default_rng(1), layout)
    assert x.to_sparse(2).layout is wg.sparse_coo
    for call, words in (
        (lambda: x.to_sparse(1), "with sparse_dim argument !=2 is not supported"),
        (lambda: x.to_sparse(layout=wg.sparse_csr, blocksize=(2, 2)), "blocksize argument given is not supported"),
        (lambda: x.to_sparse_csr(dense_dim=1), "with dense_dim argument given is not supported"),
        (
            lambda: x.to_dense().to_sparse(layout=wg.sparse_bsr),
            "conversion from Strided to SparseBsr without blocksize",
        ),
        (lambda: x.to_sparse_bsr((3, 3)), r"\(4,6\) must be divisible by given blocksize \(3,3\)"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_masks(layout):
    x, y = (random_matrix(np.random.default_rng(k), layout) for k in range(2))
    there = wg.ones_like(y).to_dense()
    for self in (x, x.to_dense(), x.to_sparse()):
        found = self.sparse_mask(y)
        assert found.layout is layout
        assert found.values().shape == y.values().shape
        equal(found, x.to_dense() * there)
    equal(x.sparse_mask(y.to_sparse()), x.to_dense() * there)


# ---- writes


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("dtype", [wg.int32, wg.int64])
def test_copy_keeps_the_dtypes_of_what_it_writes_to(layout, dtype):
    x = random_matrix(np.random.default_rng(1), layout)
    target = with_index_dtype((x * 0).float(), dtype)
    source = with_index_dtype(x, wg.int32 if dtype is wg.int64 else wg.int64)
    values = target.values()
    assert target.copy_(source) is target
    assert target.dtype is wg.float32
    assert plain(target).dtype is dtype
    equal(target, x.to_dense().float())
    assert wg.equal(values, x.values().float())  # they are in the memory of the tensor
    flipped = in_layout(x.to_dense().flip(1).contiguous(), layout)
    target.copy_(flipped)
    assert plain(target).dtype is dtype
    equal(target, flipped.to_dense().float())
    flipped.mul_(2)
    equal(target, flipped.to_dense().float() / 2)


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_copies_that_are_refused(layout):
    x = random_matrix(np.random.default_rng(1), layout)
    other = wg.sparse_csc if layout is wg.sparse_csr else wg.sparse_csr
    for call, words in (
        (lambda: x.copy_(x * 0 + in_layout(wg.ones(4, 6, dtype=wg.float64), layout)), "same number of specified elem"),
        (lambda: x.copy_(x.to_dense()), "different layouts is not supported. self layout is Sparse... and src layout"),
        (lambda: x.copy_(x.to_sparse(layout=other)), "different layouts is not supported"),
        (lambda: x.copy_(1), "different layouts is not supported"),
        (lambda: x.to_dense().copy_(x), "copy_sparse_compressed_ expected sparse compressed tensor layout but got Str"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()
    if layout in BLOCKS:
        ones = wg.ones(4, 6)
        with pytest.raises(
            RuntimeError, match=r"different block sizes is not supported. self and src block sizes are "
        ):
            in_layout(ones, layout, (2, 3)).copy_(in_layout(ones, layout, (1, 6)))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_writes(layout):
    x = random_matrix(np.random.default_rng(1), layout)
    there, d = wg.ones_like(x).to_dense(), x.to_dense()
    equal(x.clone().fill_(3), 3 * there)
    nothing = batch(layout).zero_()
    assert nothing._nnz() == 0
    equal(nothing, wg.zeros(2, 4, 6, dtype=wg.float64))
    equal(batch(layout) + nothing, batch(layout).to_dense())
    equal(x.clone().div_(2), d / 2)
    equal(x.clone().sub_(x, alpha=3), -2 * d)
    equal(d.clone().sub_(x), 0 * d)
    equal(wg.full_like(x, 2, dtype=wg.int64), (2 * there).to(wg.int64))
    assert wg.full_like(x, 2, dtype=wg.int64).layout is layout
    assert wg.randn_like(x).values().shape == x.values().shape
    assert wg.ones_like(x, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="empty_like with different sparse layout is not supported"):
        wg.ones_like(x, layout=wg.strided)


# ---- what PyTorch refuses


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum"])
def test_comparisons_are_refused(layout, name):
    x = random_matrix(np.random.default_rng(1), layout)
    for a, b in ((x, x), (x, x.to_dense()), (x.to_dense(), x)):
        with pytest.raises(RuntimeError, match="unsupported tensor layout: Sparse"):
            getattr(wg, name)(a, b)
    with pytest.raises(RuntimeError, match="unsupported tensor layout: Sparse"):
        x == 1  # noqa: B015
    with pytest.raises(RuntimeError, match="unsupported tensor layout: Sparse"):
        x.clone().requires_grad_().exp()
    assert not x.isnan().any()


def test_words_of_refused_products():
    x = random_matrix(np.random.default_rng(1), wg.sparse_csr)
    for call, words in (
        (lambda: wg.mv(x, V6[:5]), r"size mismatch, got input \(4\), mat \(4x6\), vec \(5\)"),
        (lambda: x @ D63[:5], r"mat1 and mat2 shapes cannot be multiplied \(4x6 and 5x3\)"),
        (lambda: D24[:, :3] @ x, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x6\)"),
        (lambda: x @ D63.float(), "expected scalar type Double but found Float"),
        (lambda: wg.addmm(D43.float(), x, D63), "expected scalar type Float but found Double"),
        (lambda: wg.addmm(x, D24.t(), D63.t()[:2]), r"not implemented for SparseCsr \+ Strided @ Strided"),
        (lambda: x + 1, r"but self has size \[\] while other has size \[4, 6\]"),
        (lambda: x.expand(2, 4, 6), "expand is unsupported for SparseCsr tensors"),
        (lambda: wg.sparse.mm(x.to_sparse_csc(), D63, "mean"), "expect self to be SparseCsr, got SparseCsc"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()


# ---- memory

PROGRAM = """
import resource
import wengert as wg

columns = 1 << 40
size = (1000, columns)
def make(layout):
    values = wg.arange(1.0, 1001)
    if layout is wg.sparse_bsr:
        values = values.reshape(1000, 1, 1).expand(1000, 1, 4).contiguous()
    return wg.sparse_compressed_tensor(wg.arange(1001), wg.arange(1000) * (1 << 20), values, size, layout=layout)

wg.sparse.mm(wg.eye(2).to_sparse(), wg.ones(2, 2))  # loads SciPy
csr, bsr = make(wg.sparse_csr), make(wg.sparse_bsr)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {limit}, used + {limit}))
index = wg.tensor([0, columns - 1, 1 << 20])
functions = {{
    "select": lambda x: x[1], "column": lambda x: x[:, 5], "slice": lambda x: x[10:20],
    "columns": lambda x: x[:, 3 : 1 << 35], "index": lambda x: x.index_select(1, index),
    "cat": lambda x: wg.cat([x, x]), "cat_columns": lambda x: wg.cat([x, x], 1), "stack": lambda x: wg.stack([x, x]),
    "sum": lambda x: x.sum(1, keepdim=True), "sum_rows": lambda x: x.sum(0, keepdim=True), "blocks":
    lambda x: x.to_sparse_bsr((2, 8)), "more_blocks": lambda x: x.to_sparse(layout=wg.sparse_bsr, blocksize=(4, 1)),
    "mask": lambda x: x.sparse_mask(x * 2), "coo": lambda x: x.to_sparse(), "add": lambda x: x + x[:, :columns] * 2,
}}
for x in (csr, bsr):
    for name, function in functions.items():
        leaf = x.detach().requires_grad_()
        y = function(leaf)
        (y.values() if y.layout is not wg.sparse_coo else y.coalesce().values()).sum().backward()
        assert leaf.grad.layout is x.layout, name
        print(x.layout, name, y._nnz())
print("done")
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system limits no address space")
def test_nothing_allocates_the_dense_size():
    command = [sys.executable, "-c", PROGRAM.format(limit=1 << 30)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    assert done.stdout.split()[-1] == "done"


# ---- random shapes, empty ones among them


def random_tensor(rng, layout):
    """A tensor, perhaps with a batch and a dense dim, and the strided one of the same elements."""
    block = rng.integers(1, 3, 2) if layout in BLOCKS else np.array([1, 1])
    grid = rng.integers(0, 4, 2)
    batch_size, dense_size = ([2] * int(n) for n in rng.integers(0, 2, 2))
    mask = np.repeat(np.repeat(rng.random(grid) < 0.5, block[0], 0), block[1], 1)
    values = rng.standard_normal((*batch_size, *mask.shape, *dense_size))
    values *= mask.reshape(*[1] * len(batch_size), *mask.shape, *[1] * len(dense_size))
    dense = wg.tensor(values)
    return in_layout(dense, layout, tuple(map(int, block)), len(dense_size)), dense, len(batch_size), len(dense_size)


def random_calls(rng, shape):
    """Functions that choose, join and sum along random dims."""
    dim = int(rng.integers(len(shape)))
    size = shape[dim]
    begin, stop = sorted(map(int, rng.integers(0, size + 1, 2)))
    step = int(rng.integers(1, 4))
    index = wg.tensor(rng.integers(0, max(size, 1), 3 if size else 0))
    yield lambda t: t[(*[slice(None)] * dim, slice(begin, stop, step))]
    yield lambda t: t.index_select(dim, index)
    yield lambda t: wg.cat([t, t * 2], dim)
    yield lambda t: t.sum(dim, keepdim=True)
    yield lambda t: t.sum(dim)
    yield lambda t: wg.stack([t, t * 2])
    if size:
        yield lambda t: t.select(dim, int(index[0]))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("seed", range(20))
def test_random_shapes(layout, seed):
    rng = np.random.default_rng(seed)
    x, dense, n_batch, n_dense = random_tensor(rng, layout)
    calls = list(random_calls(rng, dense.shape))
    if n_batch and not n_dense:
        calls.append(lambda t: wg.bmm(t, t.transpose(1, 2)))
    elif not n_dense:
        calls += [lambda t: t @ t.t(), lambda t: t @ wg.ones(dense.shape[1], 2, dtype=wg.float64)]
    for call in calls:
        leaf = x.detach().requires_grad_()
        try:
            found = call(leaf)
        except RuntimeError as error:
            assert "same number of specified elements per batch" in str(error)  # noqa: PT017
            continue
        equal(found, call(dense))
        equal(call(x), call(dense))
        (found if found.layout is wg.strided else found.to_dense()).sum().backward()
        assert leaf.grad.shape == leaf.shape
