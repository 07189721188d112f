"""Note [Who owns a gradient]: what a user can see is never written to or shared by surprise."""

import wengert_core as wc
from wengert_engine import grad

BIG = 10_000                           # above the size from which the engine writes into gradients


def test_a_given_gradient_is_not_changed():
    for n in (4, BIG):
        x = wc.ones(n, requires_grad=True)
        g = wc.full((n,), 2.0)
        (x * 3.0 * x).backward(g)
        assert g.tolist() == [2.0] * n


def test_a_given_gradient_does_not_become_the_grad():
    x = wc.ones(BIG, requires_grad=True)
    g = wc.ones(BIG)
    x.backward(g)
    assert x.grad.data_ptr() != g.data_ptr()


def test_a_gradient_kept_by_a_hook_is_not_changed():
    x = wc.ones(BIG, requires_grad=True)
    kept = []
    y = x * 2
    y.register_hook(kept.append)
    (y * 3 + y * 4).sum().backward()
    assert kept[0][0].item() == 7.0
    assert x.grad[0].item() == 14.0
    assert kept[0][0].item() == 7.0


def test_two_leaves_of_one_addition_do_not_share_their_grad():
    for n in (4, BIG):
        x, y = wc.ones(n, requires_grad=True), wc.ones(n, requires_grad=True)
        (x + y).sum().backward()
        x.grad.add_(1)
        assert y.grad[0].item() == 1.0


def test_grads_of_views_do_not_share_memory():
    x = wc.ones(BIG, requires_grad=True)
    y = wc.ones(2, BIG // 2, requires_grad=True)
    (x.reshape(2, BIG // 2) + y).sum().backward()
    x.grad.add_(1)
    assert y.grad[0, 0].item() == 1.0


def test_grad_results_do_not_share_memory_with_saved_values():
    x = wc.ones(BIG, requires_grad=True)
    w = wc.full((BIG,), 3.0)
    (g,) = grad((x * w).sum(), x)
    g.add_(1)
    assert w[0].item() == 3.0


def test_accumulation_keeps_identity_and_strides():
    x = wc.ones(3, 4).t().requires_grad_()
    (x * 2).sum().backward()
    first = x.grad
    assert first.stride() == x.stride()
    (x * 2).sum().backward()
    assert x.grad is first
    assert first[0, 0].item() == 4.0


def test_an_overlapping_leaf_gets_a_contiguous_grad():
    x = wc.ones(1, 3).expand(2, 3).requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (3, 1)
