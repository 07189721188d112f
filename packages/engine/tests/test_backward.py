"""backward and grad: their arguments, what they refuse, what they leave behind."""

import pytest
import wengert_core as wc
from wengert_engine import Function, backward, enable_grad, grad, no_grad


def leaf(*values):
    return wc.tensor(list(values), requires_grad=True)


def test_gradients_accumulate_over_calls():
    x = leaf(1.0, 2.0)
    for _ in range(3):
        (x * x).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_the_same_tensor_used_twice_gets_both_gradients():
    x = leaf(3.0)
    (x * x + x).sum().backward()
    assert x.grad.tolist() == [7.0]


def test_several_roots_at_once():
    x = leaf(2.0)
    backward([(x * 3).sum(), (x * x).sum()])
    assert x.grad.tolist() == [7.0]


def test_a_root_given_twice_counts_twice():
    x = leaf(2.0)
    y = (x * 3).sum()
    backward([y, y])
    assert x.grad.tolist() == [6.0]


def test_a_leaf_is_its_own_root():
    x = leaf(1.0, 2.0)
    x.backward(wc.tensor([5.0, 6.0]))
    assert x.grad.tolist() == [5.0, 6.0]


def test_grad_returns_and_does_not_accumulate():
    x, y = leaf(2.0), leaf(3.0)
    gx, gy = grad((x * y).sum(), (x, y))
    assert (gx.item(), gy.item(), x.grad, y.grad) == (3.0, 2.0, None, None)


def test_grad_of_an_inner_tensor():
    x = leaf(2.0)
    y = x * 3
    (gy,) = grad((y * y).sum(), y)
    assert gy.tolist() == [12.0]


def test_grad_of_inner_tensor_and_its_own_input_together():
    x = leaf(2.0)
    y = x * 3
    gx, gy = grad((y * y).sum(), (x, y))
    assert (gx.item(), gy.item()) == (36.0, 12.0)


def test_grad_of_several_outputs_of_one_node_and_of_one_tensor_twice():
    x = leaf(1.0, 2.0, 3.0)
    first, second, third = x.unbind(0)
    y = first * second + second * second * third
    found = grad(y, [third, x, second, third, first])
    assert [g.tolist() for g in found] == [4.0, [2.0, 13.0, 4.0], 13.0, 4.0, 2.0]


def test_grad_goes_where_inputs_are_and_nowhere_else():
    """A wide graph (a table of many nodes), deeper than the walk's first room, with a branch that nobody asks for."""
    leaves = [leaf(float(i + 1)) for i in range(100)]
    called = []
    total = wc.zeros(1)
    for i, value in enumerate(leaves):
        part = value * 2
        part.register_hook(lambda g, i=i: called.append(i))
        total = total + part
    found = grad(total, leaves[10:90:2], retain_graph=True)
    assert [g.tolist() for g in found] == [[2.0]] * 40
    assert sorted(called) == list(range(10, 90, 2))
    assert all(value.grad is None for value in leaves)
    assert [g.tolist() for g in grad(total, leaves)] == [[2.0]] * 100


def test_grad_inside_of_a_backward_that_was_asked_for_inputs():
    x, z = leaf(3.0), leaf(5.0)
    inner = []

    def hook(g):
        with enable_grad():
            w = (z * z).sum()
        inner.append(grad(w, z)[0].item())

    y = x * 2
    y.register_hook(hook)
    assert grad((y * y).sum(), x)[0].item() == 24.0
    assert inner == [10.0]


def test_inputs_restrict_who_accumulates():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).sum().backward(inputs=[x])
    assert (x.grad.item(), y.grad) == (3.0, None)


def test_inputs_may_be_inner_tensors():
    x = leaf(2.0)
    y = x * 3
    y.retain_grad()
    (y * y).sum().backward(inputs=[y])
    assert y.grad.tolist() == [12.0]
    assert x.grad is None


def test_unused_input_is_an_error_unless_allowed():
    x, y = leaf(2.0), leaf(3.0)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad((x * 2).sum(), (x, y))
    assert grad((x * 2).sum(), (x, y), allow_unused=True)[1] is None
    assert grad((x * 2).sum(), (x, y), materialize_grads=True)[1].tolist() == [0.0]


def test_materialize_grads_contradicts_allow_unused_false():
    x = leaf(1.0)
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        grad((x * 2).sum(), x, allow_unused=False, materialize_grads=True)


def test_second_backward_needs_retain_graph():
    x = leaf(2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [8.0]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_a_graph_that_saves_nothing_may_run_again():
    x = leaf(2.0)
    y = x + 1
    y.backward(wc.tensor([1.0]))
    y.backward(wc.tensor([1.0]))
    assert x.grad.tolist() == [2.0]


def test_higher_order_by_create_graph():
    x = leaf(2.0)
    (g1,) = grad((x * x * x).sum(), x, create_graph=True)
    (g2,) = grad(g1.sum(), x, create_graph=True)
    (g3,) = grad(g2.sum(), x)
    assert (g1.item(), g2.item(), g3.item()) == (12.0, 12.0, 6.0)


def test_create_graph_in_backward_warns_of_the_cycle():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad


@pytest.mark.parametrize(("call", "kind", "phrase"), [
    (lambda x: (x * 2).backward(), RuntimeError, "grad can be implicitly created only for scalar outputs"),
    (lambda x: (x * 2).backward(wc.ones(3)), RuntimeError, "Mismatch in shape"),
    (lambda x: (x * 2).backward(["one"]), TypeError, "gradients can be either Tensors or None"),
    (lambda x: (x * 2).backward(1.0), TypeError, "'float' object is not iterable"),
    (lambda x: wc.ones(1).backward(), RuntimeError, "does not require grad and does not have a grad_fn"),
    (lambda x: grad((x * 2).sum(), wc.ones(2)), RuntimeError, "does not require grad"),
    (lambda x: backward((x * 2).sum(), inputs=[]), RuntimeError, "cannot be empty"),
])
def test_bad_calls_leave_the_tensor_usable(call, kind, phrase):
    x = leaf(1.0, 2.0)
    with pytest.raises(kind, match=phrase):
        call(x)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_grad_variables_is_the_old_name():
    x = leaf(1.0)
    with pytest.warns(FutureWarning, match="grad_tensors"):
        backward(x * 2, grad_variables=wc.tensor([3.0]))
    assert x.grad.tolist() == [6.0]


def test_an_exception_in_a_formula_leaves_the_graph_usable():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError("on purpose")

    x = leaf(1.0)
    with pytest.raises(ZeroDivisionError):
        (Fails.apply(x) + x).sum().backward()
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0]


def test_backward_runs_without_recording_and_restores_the_mode():
    x = leaf(1.0)
    seen = []

    class Looks(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.append((g * 2).requires_grad)
            return g

    with no_grad():
        with enable_grad():
            y = Looks.apply(x).sum()
        y.backward()
        assert not (x * 2).requires_grad
    assert seen == [False]
    assert (x * 2).requires_grad


def test_reentrant_backward_from_a_hook():
    x = leaf(2.0)
    inner = []

    def hook(g):
        with enable_grad():
            z = leaf(5.0)
            (z * z).sum().backward()
        inner.append(z.grad.item())
        return g

    y = x * 3
    y.register_hook(hook)
    y.sum().backward()
    assert (inner, x.grad.tolist()) == ([10.0], [3.0])


# ---- is_grads_batched

def test_batched_gradients_of_several_outputs():
    x, y = leaf(1.0, 2.0), leaf(3.0)
    rows = wc.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    slope, of_y = grad([x * x, x.sum() * y], [x, y], [rows, wc.tensor([[0.0], [1.0], [2.0]])], is_grads_batched=True)
    assert slope.tolist() == [[2.0, 0.0], [3.0, 7.0], [8.0, 10.0]]
    assert of_y.tolist() == [[0.0], [3.0], [6.0]]


def test_batched_gradients_free_the_graph_and_are_recorded_on_demand():
    x = leaf(1.0, 2.0)
    y = x * x * x
    (slopes,) = grad(y, x, wc.eye(2), is_grads_batched=True, create_graph=True)
    assert grad(slopes.sum(), x, retain_graph=True)[0].tolist() == [6.0, 12.0]
    grad(y, x, wc.eye(2), is_grads_batched=True)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        grad(y, x, wc.eye(2), is_grads_batched=True)


def test_batched_gradients_of_an_unused_input():
    x, y = leaf(1.0, 2.0), leaf(3.0)
    assert grad(x * x, [x, y], wc.eye(2), is_grads_batched=True, allow_unused=True)[1] is None
    zeros = grad(x * x, [x, y], wc.eye(2), is_grads_batched=True, materialize_grads=True)[1]
    assert zeros.tolist() == [[0.0], [0.0]]
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        grad(x * x, [x, y], wc.eye(2), is_grads_batched=True)


@pytest.mark.parametrize(("given", "kind", "phrase"), [
    ([wc.ones(3, 2), wc.ones(4, 2)], ValueError, r"Expected all tensors to have the same size .* got sizes \[3, 4\]"),
    ([wc.ones(3, 3), wc.ones(3, 2)], RuntimeError, r"grad_output\[0\] has a shape of torch.Size\(\[3\]\)"),
    ([wc.ones(3, 2), None], RuntimeError, "each output needs a tensor of gradients"),
    ([wc.ones(3, 2)], RuntimeError, "got 2 tensors and 1 gradients"),
    (None, RuntimeError, "grad can be implicitly created only for scalar outputs"),
    ([wc.ones(3, 2), wc.tensor(1.0)], IndexError, r"invalid index of a 0-dim tensor: .*grad_output\[1\] has none")],
    ids=["counts", "shape", "none", "few", "nothing", "no rows"])
def test_batched_gradients_that_do_not_fit(given, kind, phrase):
    x = leaf(1.0, 2.0)
    with pytest.raises(kind, match=phrase):
        grad([x * 2, x * 3], x, given, is_grads_batched=True)
