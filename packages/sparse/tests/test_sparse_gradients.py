"""Layouts of gradients, leaves and saved tensors; the derivatives of each operation are in the sample table."""

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck

from .sparse_cases import COMPRESSED, LAYOUTS, equal, random_coo, random_matrix

DENSE = wg.tensor(np.random.default_rng(100).standard_normal((4, 6)))
OTHER = wg.tensor(np.random.default_rng(101).standard_normal((6, 3)))

FUNCTIONS = {
    "neg": lambda x: -x, "mul": lambda x: x * x, "mul_number": lambda x: x * 3, "mul_dense": lambda x: x * DENSE,
    "add_dense": lambda x: DENSE + x, "sin": lambda x: x.sin(), "t": lambda x: x.t(), "sum": lambda x: x.sum() ** 2,
    "to_dense": lambda x: x.to_dense() ** 2, "mm": lambda x: x @ OTHER, "mv": lambda x: wg.mv(x, OTHER[:, 0]),
    "sparse_mm": lambda x: wg.sparse.mm(x, OTHER),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_from_strided(layout):
    mask = (random_matrix(np.random.default_rng(7), layout).to_dense() != 0).to(wg.float64)
    x = (DENSE * mask).requires_grad_()
    block = (2, 3) if layout in (wg.sparse_bsr, wg.sparse_bsc) else None
    y = x.to_sparse(layout=layout, blocksize=block)
    (y * 3).to_dense().sum().backward()
    assert x.grad.layout is wg.strided


def test_several_operations():
    x = random_coo(np.random.default_rng(12), (4, 6), 2, 8).requires_grad_()
    for function in (
        lambda x: x.to(wg.complex128).abs() * 1,
        lambda x: wg.cat([x, x * x], 1).sin(),
        lambda x: x.reshape(3, 8).index_select(1, wg.tensor([0, 2, 0])) ** 2,
        lambda x: wg.sparse.mm(x * x, x.t()),
        lambda x: x.to_sparse_csr().t() * 2,
    ):
        assert gradcheck(function, x, masked=True, check_forward_ad=True)
        assert gradcheck(function, x, masked=True, fast_mode=True)
        assert gradgradcheck(function, x, masked=True, check_fwd_over_rev=True)


# ---- which gradients are sparse


def grad_of(function, x):
    y = function(x)
    y = y if y.layout is wg.strided else y.to_dense()
    (g,) = wg.autograd.grad(y.sum(), x)
    return g


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("neg", wg.sparse_coo),
        ("mul", wg.sparse_coo),
        ("mul_dense", wg.sparse_coo),
        ("sparse_mm", wg.sparse_coo),
        ("to_dense", wg.sparse_coo),
        ("mm", wg.strided),
        ("sum", wg.strided),
        ("add_dense", wg.strided),
        ("mv", wg.strided),
        ("t", wg.sparse_coo),
    ],
)
def test_layouts_of_gradients_of_coo(name, layout):
    x = random_coo(np.random.default_rng(13), (4, 6), 2, 8, coalesced=True).requires_grad_()
    assert grad_of(FUNCTIONS[name], x).layout is layout


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("name", ["neg", "mul_number", "to_dense", "sparse_mm", "sin"])
def test_gradients_of_compressed_tensors_have_their_layout(name, layout):
    x = random_matrix(np.random.default_rng(14), layout).requires_grad_()
    assert grad_of(FUNCTIONS[name], x).layout is layout


# ---- leaves


def rows(weight, *indices):
    return wg.nn.functional.embedding(wg.tensor(indices), weight, sparse=True)


def test_a_leaf_keeps_a_sparse_gradient_and_adds_to_it():
    w = wg.ones(5, 2, requires_grad=True)
    rows(w, 1, 3).sum().backward()
    first = w.grad
    assert first.layout is wg.sparse_coo
    rows(w, 3, 4).sum().backward()
    assert w.grad is first
    equal(w.grad, wg.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [2.0, 2.0], [1.0, 1.0]]))


@pytest.mark.parametrize("sparse_first", [True, False])
@pytest.mark.parametrize("together", [True, False])
def test_sparse_and_strided_gradients_add_to_a_strided_one(sparse_first, together):
    w = wg.ones(3, 2, requires_grad=True)
    losses = [lambda: rows(w, 1).sum(), lambda: w.sum()]
    losses = losses if sparse_first else losses[::-1]
    if together:
        (losses[0]() + losses[1]()).backward()
    else:
        for loss in losses:
            loss().backward()
    assert w.grad.layout is wg.strided
    assert w.grad.tolist() == [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]


@pytest.mark.parametrize("size", [(1, 1), (1,), (2, 1)])
def test_gradients_of_both_layouts_meet_at_a_sparse_leaf(size):
    for order in (1, -1):
        x = wg.ones(size, dtype=wg.float64).to_sparse().requires_grad_()
        y = x * 1
        terms = [y.sum(), (y * 2).to_dense().sum(), (y * 3).to_dense().sum()][::order]
        (terms[0] + terms[1] + terms[2]).backward()
        assert x.grad.to_dense().tolist() == wg.full(size, 6.0).tolist()


def test_a_strided_gradient_is_added_to_in_place():
    w = wg.ones(3, 2, requires_grad=True)
    w.sum().backward()
    before = w.grad
    rows(w, 1).sum().backward()
    assert w.grad is before


def test_an_unseen_sparse_gradient_becomes_the_grad_of_its_leaf():
    w = wg.ones(3, 2, requires_grad=True)
    seen = []
    w.register_hook(lambda g: seen.append(g))
    rows(w, 1).sum().backward()
    assert seen[0] is not w.grad
    seen[0]._values().zero_()
    equal(w.grad, wg.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))


def test_create_graph_records_a_sparse_gradient():
    w = wg.ones(3, 2, dtype=wg.float64, requires_grad=True)
    (g,) = wg.autograd.grad((rows(w, 1, 1) ** 3).sum(), w, create_graph=True)
    assert g.layout is wg.sparse_coo
    (h,) = wg.autograd.grad(g.to_dense().sum(), w)
    equal(h, wg.tensor([[0.0, 0.0], [12.0, 12.0], [0.0, 0.0]], dtype=wg.float64))


def test_embedding_gradients_through_other_operations():
    w = wg.ones(10, dtype=wg.float64, requires_grad=True)
    assert gradcheck(lambda w: rows(w.view(5, 2) * 2, 1, 3, 1) ** 2, w)
    assert gradgradcheck(lambda w: rows(w.view(5, 2) ** 2, 1, 3, 1), w)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_embedding_bag(mode):
    w = wg.tensor(np.random.default_rng(15).standard_normal((5, 2)), requires_grad=True)

    def bags(sparse):
        found = wg.nn.functional.embedding_bag(wg.tensor([1, 3, 1, 4]), w, wg.tensor([0, 3]), mode=mode, sparse=sparse)
        return wg.autograd.grad((found**2).sum(), w)[0]

    assert bags(True).layout is wg.sparse_coo
    equal(bags(True), bags(False))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_gather(dim):
    x = wg.tensor(np.random.default_rng(16).standard_normal((3, 4)), requires_grad=True)
    index = wg.tensor([[0, 2], [1, 1]])
    sparse, plain = (
        wg.autograd.grad((wg.gather(x, dim, index, sparse_grad=s) ** 2).sum(), x)[0] for s in (True, False)
    )
    assert sparse.layout is wg.sparse_coo
    equal(sparse, plain)


def test_padding_has_no_element():
    w = wg.ones(5, 2, requires_grad=True)
    wg.nn.functional.embedding(wg.tensor([1, 3, 1]), w, padding_idx=1, sparse=True).sum().backward()
    assert w.grad._indices().tolist() == [[3]]


# ---- assigned gradients


def test_assigned_gradients():
    dense, sparse = wg.ones(2, 2), wg.eye(2).to_sparse()
    x = wg.ones(2, 2, requires_grad=True)
    x.grad = sparse
    assert x.grad is sparse
    y = wg.eye(2).to_sparse().requires_grad_()
    y.grad = sparse.clone()
    with pytest.raises(RuntimeError, match="data of a different type"):
        y.grad = dense


# ---- saved tensors, hooks, checkpoints


def test_saved_tensor_hooks_get_sparse_tensors():
    seen = []
    x = wg.eye(3, dtype=wg.float64).to_sparse().requires_grad_()
    with wg.autograd.graph.saved_tensors_hooks(lambda t: (seen.append(t.layout), t)[1], lambda t: t):
        y = x * x
    y.to_dense().sum().backward()
    assert wg.sparse_coo in seen
    equal(x.grad, 2 * wg.eye(3, dtype=wg.float64))


def test_save_on_cpu_and_checkpoint():
    x = wg.eye(3, dtype=wg.float64).to_sparse().requires_grad_()
    with wg.autograd.graph.save_on_cpu():
        y = (x * x).to_dense()
    y.sum().backward()
    equal(x.grad, 2 * wg.eye(3, dtype=wg.float64))
    z = wg.utils.checkpoint.checkpoint(
        lambda t: wg.sparse.mm(t * t, wg.ones(3, 2, dtype=wg.float64)), x, use_reentrant=False
    )
    x.grad = None
    z.sum().backward()
    equal(x.grad, 4 * wg.eye(3, dtype=wg.float64))


def test_a_write_to_a_saved_sparse_tensor_is_noticed():
    a = wg.eye(3).to_sparse()
    x = wg.eye(3).to_sparse().requires_grad_()
    y = x * a
    a.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.to_dense().sum().backward()


def test_anomaly_mode_sees_sparse_gradients():
    x = wg.eye(2).to_sparse().requires_grad_()
    with (
        pytest.warns(UserWarning, match="Anomaly|Error detected"),
        wg.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="nan"),
    ):
        ((x * 0).sqrt().to_dense() * 0).sum().backward()


def test_data_is_taken_over():
    x, y = wg.eye(2).to_sparse(), wg.ones(2, 2, requires_grad=True)
    y.data = x.data
    assert y.layout is wg.sparse_coo
    y.data = wg.ones(2, 2)
    assert y.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_forward_mode():
    fw = wg.autograd.forward_ad
    a, b = wg.eye(2).to_sparse(), wg.eye(2).to_sparse() * 3
    with fw.dual_level():
        x = fw.make_dual(a, b)
        primal, tangent = fw.unpack_dual(x * x)
    equal(tangent, 6 * wg.eye(2))
    equal(primal, wg.eye(2))
    with fw.dual_level():
        x = fw.make_dual(a, wg.ones(2, 2))
        equal(fw.unpack_dual(x.to_dense() * 2).tangent, 2 * wg.ones(2, 2))
