"""Hooks of tensors: register_hook, register_post_accumulate_grad_hook, retain_grad; their order, removal, mistakes."""

import pytest
import wengert as torch


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_the_example_of_the_reference():
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    assert v.grad.tolist() == [2.0, 4.0, 6.0]
    h.remove()
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    assert v.grad.tolist() == [3.0, 6.0, 9.0]


def test_handle():
    from wengert.utils.hooks import RemovableHandle

    assert isinstance(leaf().register_hook(print), RemovableHandle)


def test_handle_as_context_manager():
    v = leaf(1.0)
    with v.register_hook(lambda g: g * 10) as handle:
        v.backward(torch.ones(1))
    v.backward(torch.ones(1))
    assert v.grad.tolist() == [11.0]
    handle.remove()                     # twice is harmless


def test_returned_gradients_are_chained_in_order():
    seen = []
    x = leaf(1.0)
    x.register_hook(lambda g: (seen.append(g.item()), g * 2)[1])
    x.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(lambda g: (seen.append(g.item()), g + 1)[1])
    (x * 1).backward(torch.ones(1))
    assert (seen, x.grad.tolist()) == ([1.0, 2.0, 2.0], [3.0])


def test_hook_sees_the_sum_of_all_uses_once():
    seen = []
    y = leaf(1.0) * 1
    y.register_hook(lambda g: seen.append(g.item()))
    (y * 2 + y * 3).backward()
    assert seen == [5.0]


def test_order_of_pre_hooks_retain_grad_and_hooks():
    seen = []
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: (seen.append("tensor"), g * 10)[1])
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: seen.append(("pre", gs[0].item())))
    y.grad_fn.register_hook(lambda gi, go: seen.append(("post", go[0].item())))
    y.register_hook(lambda g: (seen.append("late"), g * 10)[1])
    x.register_hook(lambda g: seen.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(("accumulated", t.grad.item())))
    y.backward(torch.ones(1))
    assert seen == ["tensor", "late", ("pre", 100.0), ("post", 100.0), "leaf", ("accumulated", 200.0)]
    assert y.grad.item() == 100.0       # retained after all hooks, whenever they were registered


def test_hook_removed_by_another_hook_during_backward():
    seen = []
    x, y = leaf(1.0), None
    y = x * 2
    handle = x.register_hook(lambda g: seen.append("x"))
    y.register_hook(lambda g: handle.remove())
    y.backward()
    assert seen == []


def test_hook_that_removes_itself():
    seen = []
    x = leaf(1.0)
    handles = []

    def once(grad):
        seen.append(grad.item())
        handles[0].remove()

    handles.append(x.register_hook(once))
    for _ in range(2):
        (x * 1).backward()
    assert seen == [1.0]


def test_hook_added_during_backward_to_an_earlier_tensor_runs():
    seen = []
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: x.register_hook(seen.append) and None)
    y.backward()
    assert len(seen) == 1


def test_hook_that_raises_leaves_the_leaf_and_the_engine_usable():
    x = leaf(1.0)

    def fail(grad):
        raise KeyError("own")

    handle = x.register_hook(fail)
    with pytest.raises(KeyError, match="own"):
        (x * 2).backward()
    assert x.grad is None
    handle.remove()
    (x * 2).backward()
    assert x.grad.tolist() == [2.0]


@pytest.mark.parametrize(("result", "kind", "phrase"), [
    (lambda g: torch.ones(3), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (lambda g: g.double(), RuntimeError, "hook '<lambda>' has changed the type of value"),
    (lambda g: 3, TypeError, "expected Variable, but hook returned 'int'"),
    (lambda g: (g,), TypeError, "expected Variable, but hook returned 'tuple'")],
    ids=["size", "dtype", "number", "tuple"])
def test_wrong_results(result, kind, phrase):
    x = leaf(1.0, 2.0)
    x.register_hook(lambda grad: result(grad))
    with pytest.raises(kind, match=phrase):
        (x * 2).sum().backward()


def test_hook_and_inplace_the_hook_stays_with_the_value_it_was_registered_on():
    seen = []
    x = leaf(1.0)
    y = x * 1
    y.register_hook(lambda g: seen.append(("before", g.item())))
    y.mul_(5)
    y.register_hook(lambda g: seen.append(("after", g.item())))
    y.backward()
    assert seen == [("after", 1.0), ("before", 5.0)]


def test_reentrant_backward_from_a_hook():
    x, w = leaf(1.0), leaf(3.0)

    def again(grad):
        with torch.enable_grad():
            (w * grad).backward()

    x.register_hook(again)
    (x * 2).backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ([2.0], [2.0])


def test_hook_of_a_root_and_of_an_input():
    seen = []
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: (seen.append("root"), g * 3)[1])
    x.register_hook(lambda g: (seen.append("input"), g * 5)[1])
    assert torch.autograd.grad(y, x)[0].tolist() == [30.0]
    assert seen == ["root", "input"]


def test_hook_under_create_graph_is_differentiable():
    x = leaf(2.0)
    x.register_hook(lambda g: g * x)
    (slope,) = torch.autograd.grad(x * x, x, create_graph=True)
    assert slope.item() == 8.0                  # 2 x * x
    assert torch.autograd.grad(slope, x)[0].item() == 16.0      # the hook of x runs again: 4 x * x


def test_hooks_want_something_callable_and_a_gradient():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(1).register_hook(print)


def test_post_accumulate_hook_runs_after_each_accumulation():
    seen = []
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.item())))
    for _ in range(2):
        (x * 2).backward()
    assert seen == [(True, 2.0), (True, 4.0)]


def test_post_accumulate_hook_may_drop_the_gradient():
    x = leaf(1.0)

    def step(param):
        with torch.no_grad():
            param.sub_(param.grad, alpha=0.5)
        param.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 2).backward()
    assert (x.grad, x.tolist()) == (None, [0.0])


def test_post_accumulate_hook_does_not_run_for_grad():
    seen = []
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(seen.append)
    torch.autograd.grad(x * 2, x)
    assert seen == []


def test_post_accumulate_hook_refusals():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(1).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (leaf() * 1).register_post_accumulate_grad_hook(print)


def test_retain_grad():
    y = leaf(1.0) * 2
    assert y.retains_grad is False
    y.retain_grad()
    y.retain_grad()                 # twice is harmless
    assert y.retains_grad is True
    y.backward(retain_graph=True)
    y.backward()
    assert y.grad.tolist() == [2.0]
    x = leaf()
    x.retain_grad()
    assert x.retains_grad is False
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        torch.ones(1).retain_grad()


def test_retain_grad_then_inplace_keeps_the_gradient_of_the_last_value():
    y = leaf(1.0) * 1
    y.retain_grad()
    y.mul_(5)
    y.backward()
    assert y.grad.tolist() == [1.0]


def test_grad_of_an_inner_tensor_warns():
    with pytest.warns(UserWarning, match=r"The .grad attribute of a Tensor that is not a leaf Tensor is being "
                                         r"accessed. Its .grad attribute won't be populated during "
                                         r"autograd.backward\(\). If you indeed want the .grad field to be populated "
                                         r"for a non-leaf Tensor, use .retain_grad\(\) on the non-leaf Tensor."):
        assert (leaf() * 1).grad is None


def test_backward_hooks_attribute():
    x = leaf()
    assert x._backward_hooks is None
    x.register_hook(print)
    assert list(x._backward_hooks.values()) == [print]


def test_handle_of_dicts_of_ones_own():
    from collections import OrderedDict

    from wengert.utils.hooks import RemovableHandle

    hooks, more, others = OrderedDict(), OrderedDict(), OrderedDict()
    handle = RemovableHandle(hooks, extra_dict=[more, others])
    hooks[handle.id] = more[handle.id] = others[handle.id] = "hook"
    with handle:
        assert (len(hooks), len(more), len(others)) == (1, 1, 1)
    assert (len(hooks), len(more), len(others)) == (0, 0, 0)


def test_hook_that_makes_a_gradient_complex():
    x = leaf()
    x.register_hook(lambda grad: grad * 1j)
    with pytest.raises(RuntimeError, match=r"type of value \(was torch.FloatTensor got CPUComplexFloatType\)"):
        (x * 1).sum().backward()
