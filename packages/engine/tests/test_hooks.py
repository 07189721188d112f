"""Hooks on tensors and nodes, retained gradients."""

import pytest
import wengert_core as wc
import wengert_engine as we


def leaf(*values):
    return wc.tensor(list(values), requires_grad=True)


def test_a_hook_replaces_the_gradient_until_it_is_removed():
    v = leaf(0.0, 0.0, 0.0)
    handle = v.register_hook(lambda grad: grad * 2)
    v.backward(wc.tensor([1.0, 2.0, 3.0]))
    assert v.grad.tolist() == [2.0, 4.0, 6.0]
    handle.remove()
    v.backward(wc.tensor([1.0, 2.0, 3.0]))
    assert v.grad.tolist() == [3.0, 6.0, 9.0]


def test_hooks_run_in_order_on_leaves_and_inner_tensors():
    seen = []
    x = leaf(1.0)
    y = x * 2
    for name in "ab":
        y.register_hook(lambda g, name=name: seen.append(("y", name, g.item())))
        x.register_hook(lambda g, name=name: seen.append(("x", name, g.item())))
    (y * 3).sum().backward()
    assert seen == [("y", "a", 3.0), ("y", "b", 3.0), ("x", "a", 6.0), ("x", "b", 6.0)]


def test_the_hook_of_a_leaf_sees_the_sum():
    seen = []
    x = leaf(1.0)
    x.register_hook(lambda g: seen.append(g.item()))
    (x * 2 + x * 3).sum().backward()
    assert seen == [5.0]


def test_retain_grad():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    y.sum().backward()
    assert y.retains_grad
    assert y.grad.tolist() == [1.0, 1.0]


def test_grad_of_an_inner_tensor_warns():
    y = leaf(1.0) * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_post_accumulate_hook():
    seen = []
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert seen == [2.0, 4.0]


def test_node_hooks():
    seen = []
    x = leaf(1.0)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: seen.append("pre") or (grads[0] * 10,))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(("post", inputs[0].item(), outputs[0].item())))
    y.sum().backward()
    assert seen == ["pre", ("post", 20.0, 10.0)]
    assert x.grad.tolist() == [20.0]


@pytest.mark.parametrize(("register", "phrase"), [
    (lambda: wc.ones(1).register_hook(print), "doesn't require gradient"),
    (lambda: wc.ones(1).retain_grad(), "can't retain_grad on Tensor that has requires_grad=False"),
    (lambda: (leaf(1.0) * 2).register_post_accumulate_grad_hook(print), "non-leaf"),
])
def test_refused(register, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        register()


def test_hooks_that_return_nonsense():
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: g[:1])
    with pytest.raises(RuntimeError, match="has changed the size of value"):
        x.sum().backward()


def test_calling_the_node_of_a_leaf_adds_into_its_grad():
    """As torch's AccumulateGrad: hooks on the gradient are not called, those on the finished grad are."""
    x, done = leaf(1.0, 2.0), []
    x.register_hook(lambda grad: grad * 10)
    x.register_post_accumulate_grad_hook(lambda t: done.append(t.grad.tolist()))
    (node, _), *_ = (x * 2).grad_fn.next_functions
    given = wc.tensor([1.0, 3.0])
    assert node(given) == ()
    assert node(given) == ()
    assert node(None) == ()
    assert done == [[1.0, 3.0], [2.0, 6.0]]
    assert x.grad.tolist() == [2.0, 6.0]
    assert given.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(("grads", "kind", "phrase"), [
    ((), TypeError, "expected 1 arguments, got 0 instead"),
    ((wc.ones(2), wc.ones(2)), TypeError, "expected 1 arguments, got 2 instead"),
    ((1.0,), TypeError, "argument 0 is not a Variable"),
    ((wc.ones(3),), RuntimeError, r"\[3\].*\[2\]"),
])
def test_a_node_refuses_what_are_no_gradients_of_its_outputs(grads, kind, phrase):
    x = leaf(1.0, 2.0)
    (node, _), *_ = (x * 2).grad_fn.next_functions
    with pytest.raises(kind, match=phrase):
        node(*grads)
    assert x.grad is None


def failing(kind):
    def fail(*args):
        raise kind("no")

    return fail


def node_hook(y, kind):
    y.grad_fn.register_hook(failing(kind))


def node_prehook(y, kind):
    y.grad_fn.register_prehook(failing(kind))


def tensor_hook(y, kind):
    y.register_hook(failing(kind))


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("register", [tensor_hook, node_hook, node_prehook])
def test_an_exception_in_a_hook_has_a_note_with_the_node(register, kind):
    x = wc.ones(2, requires_grad=True)
    y = x.exp()
    register(y, kind)
    with pytest.raises(kind) as raised:
        y.sum().backward()
    assert raised.value.args == ("no",)
    assert raised.value.__notes__ == ["raised while ExpBackward0 was run backward"]


def test_an_exception_in_a_hook_of_a_leaf_has_a_note():
    x = wc.ones(2, requires_grad=True)
    x.register_hook(failing(ValueError))
    with pytest.raises(ValueError, match="no") as raised:
        x.exp().sum().backward()
    assert raised.value.__notes__ == ["raised while AccumulateGrad was run backward"]


def test_an_exception_in_a_function_has_a_note_with_its_name():
    class Fail(we.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("no")

    with pytest.raises(KeyError) as raised:
        Fail.apply(wc.ones(2, requires_grad=True)).sum().backward()
    assert raised.value.__notes__ == ["raised while FailBackward was run backward"]


def test_an_exception_of_a_run_inside_of_a_run_has_a_note_for_each():
    x = wc.ones(2, requires_grad=True)
    inner = x.exp()
    inner.register_hook(failing(ValueError))
    total, outer = inner.sum(), x.sin()
    outer.register_hook(lambda grad: total.backward())
    with pytest.raises(ValueError, match="no") as raised:
        outer.sum().backward()
    assert raised.value.__notes__ == ["raised while ExpBackward0 was run backward",
                                      "raised while SinBackward0 was run backward"]


def test_the_engines_own_errors_have_no_note():
    y = wc.ones(2, requires_grad=True).exp().sum()
    y.backward()
    with pytest.raises(RuntimeError, match="a second time") as raised:
        y.backward()
    assert not hasattr(raised.value, "__notes__")
