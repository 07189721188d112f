"""Gradients of compressed leaves: their layout, and their values against those of the strided computation.

A gradient has the layout of its leaf, unless PyTorch, which has the backward of the operation, gives another one.
"""

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck

from .sparse_cases import COMPRESSED, random_matrix

RNG = np.random.default_rng(0)
D46, D63, D43, D44, D66, D24 = (
    wg.tensor(RNG.standard_normal(size)) for size in ((4, 6), (6, 3), (4, 3), (4, 4), (6, 6), (2, 4))
)
V6, V4 = wg.tensor(RNG.standard_normal(6)), wg.tensor(RNG.standard_normal(4))
INDEX = wg.tensor([2, 0, 2])
MASK = wg.tensor(np.kron(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones((2, 3))))
SQUARE = wg.tensor(RNG.standard_normal((6, 6)) * (RNG.random((6, 6)) < 0.4))


def like(x, dense, block=(2, 3)):
    """A strided tensor in the layout, and the blocks, of another one; itself where that is strided."""
    if x.layout is wg.strided:
        return dense
    block = block if x.layout in (wg.sparse_bsr, wg.sparse_bsc) else None
    return dense.to_sparse(layout=x.layout, blocksize=block)


def whole(y):
    return y if y.layout is wg.strided else y.to_dense()


def pattern(x):
    """1 where a tensor has an element, as a strided tensor of float64."""
    x = x.detach()
    if x.layout is wg.strided:
        return wg.ones(x.shape, dtype=wg.float64)
    if x.layout is wg.sparse_coo:
        x = x.coalesce()
        return wg.sparse_coo_tensor(x.indices(), wg.ones_like(x.values()), x.shape).to_dense().to(wg.float64)
    return wg.ones_like(x).to_dense().to(wg.float64)


def sparse_only(function, dense):
    return lambda x: dense(x) if x.layout is wg.strided else function(x)


CASES = {
    "neg": lambda x: -x,
    "abs": lambda x: x.abs(),
    "sin": lambda x: x.sin(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: x.relu(),
    "round": lambda x: x.round(),
    "square": lambda x: x**2,
    "clone": lambda x: x.clone(),
    "float": lambda x: x.to(wg.float32).to(wg.float64),
    "complex": lambda x: x.to(wg.complex128).abs(),
    "mul_number": lambda x: x * 3,
    "div_number": lambda x: x / 3,
    "add": lambda x: x + x * 2,
    "sub": lambda x: x - x * 3,
    "mul": lambda x: x * x,
    "mul_other": lambda x: x * like(x, SQUARE[:4]),
    "mul_strided": lambda x: x * D46,
    "mul_row": lambda x: x * V6,
    "add_strided": lambda x: D46 + x,
    "plus_strided": lambda x: x + D46,
    "sub_strided": lambda x: x - D46,
    "mul_": lambda x: x.clone().mul_(3),
    "div_": lambda x: x.clone().div_(3),
    "add_": lambda x: x.clone().add_(x * 2),
    "sub_": lambda x: x.clone().sub_(x * 3),
    "neg_": lambda x: x.clone().neg_(),
    "copy_": lambda x: x.clone().copy_(x * 2),
    "t": lambda x: x.t(),
    "transpose": lambda x: x.transpose(0, 1),
    "to_dense": whole,
    "to_dense_masked": sparse_only(lambda x: x.to_dense(masked_grad=True), lambda x: x),
    "values": sparse_only(lambda x: rebuild(x, x.values() ** 2), lambda x: x**2),
    "to_sparse": lambda x: x.to_sparse(),
    "to_sparse_csr": lambda x: x.to_sparse_csr(),
    "to_sparse_csc": lambda x: x.to_sparse_csc(),
    "mm": lambda x: x @ D63,
    "strided_mm": lambda x: D24 @ x,
    "mv": lambda x: x @ V6,
    "strided_mv": lambda x: V4 @ x,
    "addmv": lambda x: wg.addmv(V4, x, V6, beta=2, alpha=3),
    "addmm": lambda x: wg.addmm(D43, x, D63, beta=2, alpha=3),
    "addmm_second": lambda x: wg.addmm(D46[:2], D24, x, beta=2, alpha=3),
    "linear": lambda x: wg.nn.functional.linear(D66, x, V4),
    "sum": lambda x: x.sum() ** 2,
    "sum_rows": lambda x: x.sum(0, keepdim=True),
    "sum_columns": lambda x: x.sum(1, keepdim=True),
    "sum_keepdim": lambda x: x.sum((0, 1), keepdim=True),
    "sum_dim": lambda x: x.sum(1),
    "norm": lambda x: x.norm(),
    "norm_3": lambda x: wg.linalg.vector_norm(x, 3),
    "sparse_mm": lambda x: wg.sparse.mm(x, D63) if x.layout is not wg.strided else x @ D63,
    "sparse_mm_second": lambda x: wg.sparse.mm(D24, x) if x.layout is not wg.strided else D24 @ x,
    "sparse_mm_sparse": lambda x: wg.sparse.mm(x, x.t()) if x.layout is not wg.strided else x @ x.t(),
    "sparse_addmm": (lambda x: wg.sparse.addmm(D43, x, D63, beta=2, alpha=3)
                     if x.layout is not wg.strided else 2 * D43 + 3 * x @ D63),
    "sparse_addmm_second": (lambda x: wg.sparse.addmm(D46[:2], D24, x)
                            if x.layout is not wg.strided else D46[:2] + D24 @ x),
    "select_row": lambda x: x[1],
    "select_column": lambda x: x[:, 4],
    "select_sum": lambda x: x[1].sum(),
    "select_element": lambda x: x[1, 2],
    "unbind": lambda x: wg.cat([row.reshape(1, -1) for row in x.unbind(0)]),
    "slice_rows": lambda x: x[1:3],
    "slice_blocks": lambda x: x[2:],
    "slice_columns": lambda x: x[:, 2:5],
    "slice_steps": lambda x: x[::2, ::3],
    "narrow": lambda x: x.narrow(1, 3, 3),
    "index_rows": lambda x: x.index_select(0, INDEX),
    "index_columns": lambda x: x.index_select(1, INDEX),
    "cat_rows": lambda x: wg.cat([x, x * x]),
    "cat_columns": lambda x: wg.cat([x, x * x], 1),
    "stack": lambda x: wg.stack([x, x * x]),
}  # fmt: skip
UNMASKED = {  # gradients with elements where the leaf has none
    "add_other": lambda x: x + like(x, SQUARE[:4]),
    "mm_sparse": lambda x: x @ x.t(),
    "to_sparse_bsr": lambda x: x.to_sparse_bsr((2, 2)),
    "to_sparse_bsc": lambda x: x.to_sparse_bsc((4, 3)),
    "sparse_mask": sparse_only(lambda x: x.sparse_mask(like(x, MASK)), lambda x: x * MASK),
    "addmm_sparse": lambda x: wg.addmm(like(x, D44, (2, 2)), x, x.t(), beta=2, alpha=3),
}


def rebuild(x, values):
    """A tensor of the indices of another one, and values."""
    rows = x.layout in (wg.sparse_csr, wg.sparse_bsr)
    indices = (x.crow_indices(), x.col_indices()) if rows else (x.ccol_indices(), x.row_indices())
    return wg.sparse_compressed_tensor(*indices, values, x.shape, layout=x.layout)


def gradients(function, x):
    """The gradients of a weighted sum of the elements that a result has: of a leaf, and of a strided one like it."""
    x = x.detach().requires_grad_()
    y = function(x)
    weight = wg.tensor(np.random.default_rng(1).standard_normal(tuple(y.shape)))
    (whole(y) * weight).sum().backward()
    dense = x.detach().to_dense().requires_grad_()
    z = function(dense)
    assert wg.allclose(whole(z), whole(y))
    (whole(z) * weight * pattern(y)).sum().backward()
    return x.grad, dense.grad


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("name", CASES)
def test_gradients_of_compressed_leaves(name, layout):
    function = CASES[name]
    x = random_matrix(np.random.default_rng(3), layout)
    grad, dense = gradients(function, x)
    assert grad.layout is layout
    assert wg.allclose(whole(grad), dense * pattern(x))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("name", UNMASKED)
def test_gradients_with_elements_where_the_leaf_has_none(name, layout):
    grad, dense = gradients(UNMASKED[name], random_matrix(np.random.default_rng(3), layout))
    assert grad.layout is layout
    assert wg.allclose(whole(grad), dense)


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_a_product_of_sparse_matrices_that_is_added_to_a_strided_one(layout):
    x = random_matrix(np.random.default_rng(3), layout)
    grad, dense = gradients(lambda x: wg.addmm(D44, x, x.t(), alpha=3), x)
    assert grad.layout is layout
    assert wg.allclose(whole(grad) * pattern(x), dense * pattern(x))  # elsewhere those of the product's elements


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        pytest.param(name, first, second, id=f"{name}-{first._name}-{second._name}")
        for name in ("add", "sub", "mul", "mm", "add_", "sub_", "mul_")
        for first in COMPRESSED
        for second in (wg.sparse_coo, *COMPRESSED)
        if second is not wg.sparse_coo or name in ("mul", "mul_", "mm")  # no other sum of these, as in PyTorch
    ],
)
def test_each_of_two_layouts_gets_a_gradient_of_its_own(name, first, second):
    def operation(x, y):
        return getattr(x.clone() if name.endswith("_") else x, name)(y)

    x, y = (random_matrix(np.random.default_rng(k), layout) for k, layout in enumerate((first, second)))
    leaves = [each.detach().requires_grad_() for each in (x, y.t() if name == "mm" else y)]
    found = operation(*leaves)
    found.to_dense().sum().backward()
    strided = [each.detach().to_dense().requires_grad_() for each in leaves]
    (operation(*strided) * pattern(found)).sum().backward()
    for leaf, dense in zip(leaves, strided, strict=True):
        assert leaf.grad.layout is leaf.layout
        assert wg.allclose(leaf.grad.to_dense() * pattern(leaf), dense.grad * pattern(leaf))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_batches_and_dense_dims(layout):
    mask = np.zeros((4, 6))
    mask[2:, :3] = mask[:2, 3:] = 1
    batch = wg.tensor(np.random.default_rng(4).standard_normal((2, 4, 6)) * mask)
    block = (2, 3) if layout in (wg.sparse_bsr, wg.sparse_bsc) else None
    x = batch.to_sparse(layout=layout, blocksize=block)
    many = wg.tensor(np.random.default_rng(5).standard_normal((2, 6, 3)))
    for function in (
        lambda x: wg.bmm(x, many),
        lambda x: wg.bmm(many.transpose(1, 2)[..., :4], x),
        lambda x: wg.bmm(x, x.transpose(1, 2)),
        lambda x: x[1],
        lambda x: x[:, 1],
        lambda x: x[:, :, 2],
        lambda x: x[1:],
        lambda x: x[:, :2],
        lambda x: x.index_select(0, wg.tensor([1, 0, 1])),
        lambda x: wg.cat([x, x * x]),
        lambda x: wg.cat([x, x * x], 2),
        lambda x: wg.stack([x, x * x], 1),
        lambda x: x.sum(0, keepdim=True),
        lambda x: x.sum((0, 2)),
        lambda x: x.transpose(1, 2) * 2,
        lambda x: x.reshape(8, 6),
        lambda x: x.reshape(4, 2, 6),
    ):
        grad, dense = gradients(function, x)
        assert grad.layout is layout
        assert wg.allclose(whole(grad), dense * pattern(x))
    hybrid = batch.permute(1, 2, 0).contiguous().to_sparse(layout=layout, blocksize=block, dense_dim=1)
    for function in (
        lambda x: x[..., 1],
        lambda x: x[1],
        lambda x: x[1:3, 2:],
        lambda x: x[..., 1:],
        lambda x: x.index_select(2, wg.tensor([1, 1])),
        lambda x: wg.cat([x, x * 2], 2),
        lambda x: wg.cat([x, x * 2], 0),
        lambda x: x.sum(2, keepdim=True),
        lambda x: x.sum(0, keepdim=True),
    ):
        grad, dense = gradients(function, hybrid)
        assert grad.layout is layout
        assert wg.allclose(whole(grad), dense * pattern(hybrid))


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize(
    "name",
    [
        "mm_sparse", "select_row", "slice_rows", "slice_columns", "index_rows", "index_columns", "cat_columns", "stack",
        "sum_rows", "sum_dim", "norm", "linear", "sparse_mask", "sparse_addmm_second",
    ],
)  # fmt: skip
def test_derivatives_of_both_modes_and_orders(name, layout):
    function = UNMASKED[name] if name in UNMASKED else CASES[name]
    x = random_matrix(np.random.default_rng(4), layout).requires_grad_()

    def square(x):
        return function(x) ** 2

    assert gradcheck(square, x, masked=True, check_forward_ad=True)
    assert gradgradcheck(square, x, masked=True)
