"""Hooks of nodes, hooks over several tensors, callbacks at the end of a run."""

import pytest
import wengert as torch
from wengert.autograd import Variable, graph


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_hook_gets_both_sides():
    seen = []
    a, b = leaf(2.0), leaf(3.0)
    y = a * b
    handle = y.grad_fn.register_hook(lambda gi, go: seen.append(([g.item() for g in gi], [g.item() for g in go])))
    y.backward(retain_graph=True)
    handle.remove()
    y.backward()
    assert seen == [([3.0, 2.0], [1.0])]


def test_hook_replaces_the_gradients_of_the_inputs():
    a, b = leaf(2.0), leaf(3.0)
    y = a * b
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))
    y.backward()
    assert (a.grad.item(), b.grad.item()) == (30.0, 2.0)


def test_missing_gradients_are_none():
    seen = []
    y = leaf(2.0) * torch.ones(1)
    y.grad_fn.register_hook(lambda gi, go: seen.append(gi))
    y.backward()
    assert seen[0][1] is None


def test_prehook_replaces_the_gradients_of_the_outputs():
    x = leaf(1.0)
    y = x * 2
    handle = y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.backward(retain_graph=True)
    handle.remove()
    y.backward()
    assert x.grad.item() == 22.0


def test_prehook_of_several_outputs():
    seen = []
    a, _ = leaf(1.0, 2.0).unbind(0)
    a.grad_fn.register_prehook(lambda go: seen.append([g if g is None else g.item() for g in go]))
    a.backward()
    assert seen == [[1.0, None]]


@pytest.mark.parametrize(("hook", "kind", "phrase"), [
    (lambda gi, go: (gi[0],), RuntimeError, r"has returned an incorrect number of values \(got 1, but expected 2\)"),
    (lambda gi, go: gi[0], TypeError, "hook '<lambda>' has returned a non-tuple value|expected tuple"),
    (lambda gi, go: (torch.ones(5), gi[1]), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (lambda gi, go: (3, gi[1]), TypeError, "expected Variable, but hook returned 'int'")],
    ids=["number", "tensor", "size", "type"])
def test_wrong_results(hook, kind, phrase):
    y = leaf() * leaf()
    y.grad_fn.register_hook(hook)
    with pytest.raises(kind, match=phrase):
        y.sum().backward()


def test_prehook_with_the_wrong_number_of_values():
    y = leaf() * 2
    y.grad_fn.register_prehook(lambda go: (go[0], go[0]))
    with pytest.raises(RuntimeError, match="has returned an incorrect number of values"):
        y.sum().backward()


def test_hook_of_accumulate_grad():
    seen = []
    x = leaf(1.0)
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: seen.append(("post", gi, go[0].item())))
    node.register_prehook(lambda go: seen.append(("pre", go[0].item())))
    y.backward()
    assert seen == [("pre", 2.0), ("post", (), 2.0)]


def test_tensor_and_node_must_be_used_for_the_hook_to_run():
    seen = []
    x = leaf(1.0)
    y, unused = x * 2, x * 3
    unused.grad_fn.register_hook(lambda *a: seen.append(1))
    y.backward()
    assert seen == []


# ---- register_multi_grad_hook

def test_multi_grad_hook_all():
    seen = []
    a, b, c, d = (torch.rand(2, requires_grad=True) for _ in range(4))
    handle = graph.register_multi_grad_hook((a, b, c, d), lambda grads: seen.append([g is not None for g in grads]))
    c_times = (a * c).sum()
    c_times.backward()
    assert seen == [[True, False, True, False]]
    (a * b * c * d).sum().backward()
    assert seen[1:] == [[True, True, True, True]]
    handle.remove()
    (a * b).sum().backward()
    assert len(seen) == 2


def test_multi_grad_hook_all_runs_after_the_last():
    seen = []
    x = leaf(1.0)
    y = x * 2
    graph.register_multi_grad_hook([x, y], lambda grads: seen.append([g.item() for g in grads]))
    (y * 3).backward()
    assert seen == [[6.0, 3.0]]


def test_multi_grad_hook_any_runs_at_the_first():
    seen = []
    x = leaf(1.0)
    y = x * 2
    handle = graph.register_multi_grad_hook([x, y], lambda grad: seen.append(grad.item()), mode="any")
    (y * 3).backward()
    assert seen == [3.0]
    (x * 7).backward()
    assert seen == [3.0, 7.0]
    handle.remove()
    (x * 7).backward()
    assert seen == [3.0, 7.0]


def test_multi_grad_hook_in_grad_with_inputs():
    seen = []
    a, b = leaf(1.0) * 1, leaf(2.0) * 1             # torch refuses leaves here
    graph.register_multi_grad_hook([a, b], lambda grads: seen.append([g is None for g in grads]))
    torch.autograd.grad(a * b, a)
    assert seen == [[False, True]]


def test_multi_grad_hook_mode_is_checked():
    with pytest.raises(ValueError, match="Expects mode to be one of \\('all', 'any'\\) but got some"):
        graph.register_multi_grad_hook([leaf()], print, mode="some")


def test_multi_grad_hook_as_context_manager():
    seen = []
    x = leaf(1.0)
    with graph.register_multi_grad_hook([x], lambda grads: seen.append(1)):
        (x * 1).backward()
    (x * 1).backward()
    assert seen == [1]


# ---- queue_callback

def test_queue_callback_runs_once_at_the_end_of_the_run():
    seen = []
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda t: seen.append("leaf"))
    y = x * 2
    y.register_hook(lambda g: Variable._execution_engine.queue_callback(lambda: seen.append(("end", x.grad.item()))))
    y.backward(retain_graph=True)
    assert seen == ["leaf", ("end", 2.0)]


def test_queue_callback_from_a_callback():
    seen = []
    x = leaf(1.0)

    def first():
        Variable._execution_engine.queue_callback(lambda: seen.append("second"))
        seen.append("first")

    x.register_hook(lambda g: Variable._execution_engine.queue_callback(first))
    (x * 2).backward()
    assert seen == ["first", "second"]


def test_queue_callback_that_raises():
    x = leaf(1.0)

    def fail():
        raise KeyError("own")

    handle = x.register_hook(lambda g: Variable._execution_engine.queue_callback(fail))
    with pytest.raises(KeyError, match="own"):
        (x * 2).backward()
    handle.remove()
    (x * 2).backward()
    assert x.grad.item() == 4.0


def test_queue_callback_outside_of_backward():
    with pytest.raises(RuntimeError, match=r"Final callbacks can only be installed during backward pass."):
        Variable._execution_engine.queue_callback(print)


@pytest.mark.parametrize("materialize", [True, False])
def test_hooks_of_a_function_with_several_outputs_see_what_is_missing(materialize):
    seen = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            seen.append(second is None)
            return first

    first, _ = Two.apply(torch.ones(2, requires_grad=True))
    first.grad_fn.register_prehook(lambda grads: seen.append([grad is None for grad in grads]))
    first.grad_fn.register_hook(lambda inputs, outputs: seen.append([grad is None for grad in outputs]))
    first.sum().backward()
    assert seen == [[False, True], not materialize, [False, True]]


def test_hook_sees_gradients_as_the_inputs_get_them():
    shapes = []
    x, y = torch.ones(3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    total, half = x + y, x.half()

    def double_first(inputs, outputs):
        shapes.append([tuple(grad.shape) for grad in inputs])
        return inputs[0] * 2, inputs[1]

    total.grad_fn.register_hook(double_first)
    half.grad_fn.register_hook(lambda inputs, outputs: shapes.append(inputs[0].dtype))
    (total.sum() + half.sum()).backward()
    assert sorted(map(str, shapes)) == ["[(3,), (2, 3)]", "torch.float32"]
    assert (x.grad.tolist(), y.grad.tolist()) == ([5.0, 5.0, 5.0], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
