"""Derivatives of sparse operations: both modes, to the second order, masked and plain."""

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck

from .sparse_cases import COMPRESSED, LAYOUTS, equal, random_coo, random_matrix

DENSE = wg.tensor(np.random.default_rng(100).standard_normal((4, 6)))
OTHER = wg.tensor(np.random.default_rng(101).standard_normal((6, 3)))

FUNCTIONS = {
    "neg": lambda x: -x,
    "mul_number": lambda x: x * 3,
    "div_number": lambda x: x / 3,
    "abs": lambda x: x.abs(),
    "sin": lambda x: x.sin(),
    "tanh": lambda x: x.tanh(),
    "expm1": lambda x: x.expm1(),
    "pow": lambda x: x**3,
    "relu": lambda x: x.relu(),
    "sgn": lambda x: x.sgn(),
    "add": lambda x: x + x * 2,
    "sub": lambda x: x - x * 3,
    "mul": lambda x: x * x,
    "add_dense": lambda x: DENSE + x,
    "mul_dense": lambda x: x * DENSE,
    "clone": lambda x: x.clone(),
    "to_complex": lambda x: x.to(wg.complex128).abs() * 1,
    "t": lambda x: x.t(),
    "to_dense": lambda x: x.to_dense() ** 2,
    "mm": lambda x: x @ OTHER,
    "mm_dense_sparse": lambda x: OTHER[:4].t() @ x,
    "sparse_mm": lambda x: wg.sparse.mm(x, OTHER),
    "mm_sparse": lambda x: x @ x.t(),
    "sparse_mm_sparse": lambda x: wg.sparse.mm(x, x.t()),
    "sparse_addmm": lambda x: wg.sparse.addmm(DENSE[:, :3], x, OTHER, beta=2, alpha=3),
    "sum": lambda x: x.sum() ** 2,
    "mv": lambda x: wg.mv(x, OTHER[:, 0]),
}
COO_ONLY = {
    "coalesce": lambda x: x.coalesce() * 2,
    "values": lambda x: x.coalesce().values() ** 2,
    "sparse_sum": lambda x: wg.sparse.sum(x) ** 2,
    "sparse_sum_dim": lambda x: wg.sparse.sum(x, 1) ** 2,
    "sum_dim": lambda x: x.sum(0, keepdim=True) ** 2,
    "softmax": lambda x: wg.sparse.softmax(x, 1),
    "log_softmax": lambda x: wg.sparse.log_softmax(x, 0),
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "unsqueeze": lambda x: x.unsqueeze(1) * 2,
    "reshape": lambda x: x.reshape(3, 8) ** 2,
    "select": lambda x: x[1] ** 2,
    "slice": lambda x: x[1:3, ::2] ** 2,
    "index_select": lambda x: x.index_select(1, wg.tensor([0, 2, 0])) ** 2,
    "cat": lambda x: wg.cat([x, x * x], 1),
    "stack": lambda x: wg.stack([x, x * x], 1),
    "sparse_mask": lambda x: x.sparse_mask((x.detach() * 2).coalesce()) ** 2,
    "to_sparse_csr": lambda x: x.to_sparse_csr() * 2,
    "sampled": lambda x: wg.sparse.sampled_addmm(x, DENSE[:, :3], OTHER.t(), beta=2) * 1,
    "unbind": lambda x: x.unbind(0)[2] * 3,
}


def check(function, x, masked=True, order=2):
    assert gradcheck(function, x, masked=masked, check_forward_ad=True)
    assert gradcheck(function, x, masked=masked, fast_mode=True)
    if order > 1:
        assert gradgradcheck(function, x, masked=masked, check_fwd_over_rev=True)


@pytest.mark.parametrize("name", [*FUNCTIONS, *COO_ONLY])
@pytest.mark.parametrize("coalesced", [True, False])
def test_coo(name, coalesced):
    x = random_coo(np.random.default_rng(3), (4, 6), 2, 8, coalesced=coalesced).requires_grad_()
    check({**FUNCTIONS, **COO_ONLY}[name], x)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
def test_compressed(name, layout):
    x = random_matrix(np.random.default_rng(4), layout).requires_grad_()
    check(FUNCTIONS[name], x)


@pytest.mark.parametrize("name", ["neg", "mul_number", "add", "mul", "t", "clone", "mm", "mv", "sum", "add_dense"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_plain_gradients(name, layout):
    """The gradient is that of all elements, unspecified ones too, where PyTorch's is."""
    x = random_matrix(np.random.default_rng(5), layout).requires_grad_()
    check(FUNCTIONS[name], x, masked=False)


def test_plain_gradient_of_to_dense():
    x = random_coo(np.random.default_rng(6), (4, 6), 2, 8, coalesced=True).requires_grad_()
    assert gradcheck(lambda x: x.to_dense(masked_grad=False) * 2, x, masked=False)
    with pytest.raises(wg.autograd.gradcheck.GradcheckError):
        gradcheck(lambda x: x.to_dense() * 2, x, masked=False)


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_from_strided(layout):
    mask = (random_matrix(np.random.default_rng(7), layout).to_dense() != 0).to(wg.float64)
    x = (DENSE * mask).requires_grad_()
    block = (2, 3) if layout in (wg.sparse_bsr, wg.sparse_bsc) else None
    y = x.to_sparse(layout=layout, blocksize=block)
    (y * 3).to_dense().sum().backward()
    assert x.grad.layout is wg.strided


def test_products_by_both_factors():
    x = random_coo(np.random.default_rng(8), (4, 6), 2, 8, coalesced=True).requires_grad_()
    d = OTHER.clone().requires_grad_()
    for function in (
        lambda x, d: x @ d,
        lambda x, d: wg.sparse.mm(x, d),
        lambda x, d: wg.sparse.addmm(DENSE[:, :3], x, d, alpha=2),
    ):
        assert gradcheck(function, (x, d), masked=True, check_forward_ad=True)
        assert gradgradcheck(function, (x, d), masked=True)


def test_spsolve():
    rng = np.random.default_rng(9)
    a = np.eye(4) * 4 + rng.standard_normal((4, 4)) * (rng.random((4, 4)) < 0.4)
    x = wg.tensor(a).to_sparse_csr().requires_grad_()
    b = wg.tensor(rng.standard_normal(4)).requires_grad_()
    assert gradcheck(wg.sparse.spsolve, (x, b), masked=True, check_forward_ad=True)
    assert gradgradcheck(wg.sparse.spsolve, (x, b), masked=True)


def test_constructors():
    values = wg.tensor([1.0, 2.0, 3.0], dtype=wg.float64, requires_grad=True)
    check(lambda v: wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], v, (2, 3)), values)
    check(lambda v: wg.sparse_csr_tensor([0, 1, 3], [2, 0, 1], v, (2, 3)), values)
    x = random_matrix(np.random.default_rng(10), wg.sparse_bsr).requires_grad_()
    check(lambda x: x.values() ** 2, x)


def test_complex_numbers():
    x = random_coo(np.random.default_rng(11), (4, 6), 2, 8, wg.complex128, True).requires_grad_()
    c = OTHER.to(wg.complex128) * (1 + 2j)
    for function in (
        lambda x: x * x,
        lambda x: wg.sparse.mm(x, c),
        lambda x: x @ c,
        lambda x: x.abs(),
        lambda x: x.conj() * x,
    ):
        assert gradcheck(function, x, masked=True)


def test_hybrid_tensors():
    x = random_coo(np.random.default_rng(12), (4, 3, 2), 1, 5).requires_grad_()
    for function in (
        lambda x: x * 2,
        lambda x: x.sin(),
        lambda x: wg.sparse.sum(x, 0),
        lambda x: wg.sparse.sum(x, (1,)),
        lambda x: x.reshape(4, 6),
        lambda x: x.reshape(2, 12),
        lambda x: wg.sparse.softmax(x, 1),
        lambda x: x[..., 1],
        lambda x: x.index_select(0, wg.tensor([3, 1])),
    ):
        check(function, x)


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
