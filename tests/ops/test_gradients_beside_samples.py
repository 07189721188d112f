"""Derivatives that were wrong once, beside the samples of the op table: as PyTorch and as differences have them."""

import pytest
import wengert as torch
from wengert.func import grad, jvp
from wengert.nn import functional as F
from wengert.testing import assert_close

D = torch.float64


@pytest.mark.parametrize("dims", [2, 3, 4])
@pytest.mark.parametrize("both", [False, True], ids=["mask", "mask and query"])
def test_attention_moves_with_its_mask(dims, both):
    torch.manual_seed(0)
    lead = (1,) * (dims - 2)
    q, k, v = (torch.randn(*lead, n, 3, dtype=D) for n in (2, 4, 4))
    mask, tangent = torch.randn(2, 4, dtype=D), torch.randn(2, 4, dtype=D)
    moved = torch.randn(*q.shape, dtype=D) if both else torch.zeros_like(q)

    def result(q, m):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m)

    def gradient(q, m):
        return grad(lambda q: (result(q, m) ** 2).sum())(q)

    for f in (result, gradient):
        _, found = jvp(f, (q, mask), (moved, tangent))
        h = 1e-6
        expected = (f(q + h * moved, mask + h * tangent) - f(q - h * moved, mask - h * tangent)) / (2 * h)
        assert_close(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("how", ["scatter_reduce", "index_reduce"])
def test_a_zero_that_no_product_reaches_has_a_gradient(how):
    x = torch.tensor([1.0, 2.0, 0.0, 3.0], requires_grad=True)
    s = torch.tensor([5.0, 6.0], requires_grad=True)
    result = getattr(x, how)(0, torch.tensor([0, 0]), s, "prod", include_self=False)
    first = torch.autograd.grad((result**2).sum(), [x, s], create_graph=True)
    assert [g.tolist() for g in first] == [[0, 4, 0, 6], [360, 300]]
    second = torch.autograd.grad(first[0].sum() + first[1].sum(), [x, s])
    assert [g.tolist() for g in second] == [[0, 2, 2, 2], [192, 170]]


def test_asarray_keeps_the_graph():
    x = torch.ones(2, requires_grad=True)
    warning = "unspecified requires_grad now defaults to obj.requires_grad"
    with pytest.warns(UserWarning, match=warning):
        assert torch.asarray(x) is x
    with pytest.warns(UserWarning, match=warning):
        assert torch.asarray(x * 2).grad_fn.name() == "MulBackward0"
    with pytest.warns(UserWarning, match=warning):
        assert torch.asarray(x, copy=True).grad_fn.name() == "CloneBackward0"
    assert torch.asarray(x, dtype=D, requires_grad=True).grad_fn.name() == "ToCopyBackward0"
    assert not torch.asarray(x, requires_grad=False).requires_grad
    assert x.requires_grad


def test_an_array_beside_what_requires_grad_is_a_constant():
    x = torch.ones(2, requires_grad=True)
    (x * torch.tensor([2.0, 3.0]).numpy() + torch.tensor(1.0).numpy() - x @ torch.ones(2).numpy()).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]
    assert (x == torch.ones(2).numpy()).tolist() == [True, True]
