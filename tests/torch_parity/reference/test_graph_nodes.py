"""Nodes: name, metadata, next_functions, saved values, sequence numbers; gradient edges."""

import subprocess
import sys

import pytest
import wengert as torch
from wengert.autograd import graph


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_the_example_of_the_reference():
    a = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    b = a.exp()
    assert isinstance(b.grad_fn, torch.autograd.graph.Node)
    assert {"_raw_saved_result", "_register_hook_dict", "_saved_result", "metadata", "name", "next_functions",
            "register_hook", "register_prehook", "requires_grad", "__call__"} <= set(dir(b.grad_fn))
    assert torch.allclose(b.grad_fn._saved_result, b)


def test_names_of_the_module():
    for name in ("Node", "GradientEdge", "get_gradient_edge", "saved_tensors_hooks", "save_on_cpu",
                 "disable_saved_tensors_hooks", "register_multi_grad_hook", "allow_mutation_on_saved_tensors",
                 "increment_version"):
        assert hasattr(graph, name), name
        assert name in graph.__all__


def test_name_and_type():
    x = leaf()
    assert (x * 2).grad_fn.name() == "MulBackward0"
    assert type((x * 2).grad_fn).__name__ == "MulBackward0"
    assert (x * 2).grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"
    assert x.grad_fn is None
    assert str((x * 2).grad_fn).startswith("<MulBackward0 object at 0x")


def test_metadata_is_a_dict_of_the_node():
    node = (leaf() * 2).grad_fn
    assert node.metadata == {}
    node.metadata["key"] = [1]
    assert node.metadata["key"] == [1]


def test_next_functions():
    x, w = leaf(), torch.ones(2)
    y = x * w
    z = y + x
    (first, first_nr), (second, second_nr) = z.grad_fn.next_functions
    assert (first is y.grad_fn, first_nr) == (True, 0)
    assert (second.variable is x, second_nr) == (True, 0)
    assert y.grad_fn.next_functions[1] == (None, 0)
    a, b = x.unbind(0)
    assert (a * b).grad_fn.next_functions == ((a.grad_fn, 0), (a.grad_fn, 1))


def test_node_cannot_be_made():
    """In a process of its own: a mistake here ends the interpreter."""
    program = f"""
import {torch.__name__} as torch
for _ in range(200):
    y = (torch.ones(2, requires_grad=True) * 2).exp()
    del y
    try:
        torch.autograd.graph.Node()
    except TypeError as error:
        text = str(error)
print(text)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Node" in done.stdout


def test_subclass_check():
    assert issubclass(type((leaf() * 2).grad_fn), graph.Node)
    assert not isinstance(3, graph.Node)


def test_saved_tensors_and_scalars():
    x, w = leaf(), torch.ones(2)
    node = (x * w).grad_fn
    assert node._saved_other is w
    assert node._saved_self is None                     # w does not require a gradient
    assert (x**3).grad_fn._saved_exponent == 3
    assert x.sum(0).grad_fn._saved_self_sym_sizes == (2,)


def test_saved_value_after_free():
    y = leaf().exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = y.grad_fn._saved_result


def test_saved_value_that_was_changed():
    y = leaf().exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        _ = y.grad_fn.next_functions[0][0]._saved_result


def test_unknown_saved_name():
    with pytest.raises(AttributeError, match="has no attribute '_saved_nothing'"):
        _ = (leaf() * 2).grad_fn._saved_nothing


def test_raw_saved():
    x = leaf()
    raw = x.exp().grad_fn._raw_saved_result
    assert type(raw).__name__ == "SavedTensor"
    assert type(raw) is torch.autograd.SavedTensor


def test_raw_saved_register_hooks():
    x = leaf()
    y = x.pow(2)
    seen = []
    y.grad_fn._raw_saved_self.register_hooks(lambda t: (seen.append("pack"), t.detach() * 10)[1],
                                             lambda t: (seen.append("unpack"), t)[1])
    assert seen == ["pack"]
    assert y.grad_fn._saved_self.tolist() == [10.0, 20.0]
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]
    assert seen == ["pack", "unpack", "unpack"]


@pytest.mark.skipif(torch.__name__ == "torch", reason="PyTorch 2.13 says this, and crashes afterwards")
def test_raw_saved_register_hooks_twice():
    raw = leaf().exp().grad_fn._raw_saved_result
    raw.register_hooks(torch.clone, torch.clone)
    with pytest.raises(RuntimeError, match=r"Calling register_hooks on a saved tensor whose hooks have already been "
                                           r"set. Hint: only one pair of hooks is allowed at a time."):
        raw.register_hooks(torch.clone, torch.clone)


def test_raw_saved_register_hooks_after_free():
    y = leaf().exp()
    raw = y.grad_fn._raw_saved_result
    y.sum().backward()
    with pytest.raises(RuntimeError, match=r"Calling register_hooks on a saved tensor after it has been freed. Saved "
                                           r"intermediate values of the graph are freed when you call .backward\(\) or "
                                           r"autograd.grad\(\)."):
        raw.register_hooks(lambda t: t, lambda t: t)


def test_raw_saved_register_hooks_of_none():
    raw = (leaf() * torch.ones(2)).grad_fn._raw_saved_self
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor with value None is forbidden"):
        raw.register_hooks(lambda t: t, lambda t: t)


def test_raw_saved_register_hooks_wants_callables():
    raw = leaf().exp().grad_fn._raw_saved_result
    with pytest.raises(TypeError, match="incompatible function arguments"):
        raw.register_hooks(lambda t: t)


def test_sequence_numbers_grow():
    x = leaf()
    one, two = x * 2, x * 3
    assert two.grad_fn._sequence_nr() > one.grad_fn._sequence_nr()


def test_accumulate_grad_comes_last_of_all():
    assert (leaf() * 2).grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1


@pytest.mark.host("names the device")
def test_input_metadata():
    node = (leaf(1.0, 2.0, 3.0) * 2).grad_fn
    (meta,) = node._input_metadata
    assert (list(meta.shape), meta.dtype, meta.device) == ([3], torch.float32, torch.device("cpu"))
    assert len(leaf().unbind(0)[0].grad_fn._input_metadata) == 2


def test_node_called():
    x = leaf()
    assert [None if g is None else g.tolist() for g in (x * 3).grad_fn(torch.ones(2))] == [[3.0, 3.0], None]


# ---- gradient edges

def test_gradient_edge_of_inner_and_leaf():
    x = leaf()
    a, b = x.unbind(0)
    edge = graph.get_gradient_edge(b)
    assert isinstance(edge, graph.GradientEdge)
    assert (edge.node is b.grad_fn, edge.output_nr, edge.ownership_token) == (True, 1, None)
    assert graph.get_gradient_edge(x).node.variable is x
    assert graph.get_gradient_edge(a) == graph.GradientEdge(a.grad_fn, 0)


def test_gradient_edge_refused():
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge for a Tensor that does not "
                                           "require gradients"):
        graph.get_gradient_edge(torch.ones(1))


def test_gradient_edge_as_input_outlives_the_tensor():
    x = leaf()
    y = x * 2
    edge = graph.get_gradient_edge(y)
    z = y * 3
    del y
    assert torch.autograd.grad(z.sum(), edge)[0].tolist() == [3.0, 3.0]


def test_gradient_edge_as_root():
    x = leaf()
    edge = graph.get_gradient_edge(x * 2)
    torch.autograd.backward(edge, torch.ones(2))
    assert x.grad.tolist() == [2.0, 2.0]
    assert torch.autograd.grad(graph.get_gradient_edge((x * 3).sum()), x, torch.ones(()))[0].tolist() == [3.0, 3.0]


def test_gradient_edge_as_root_without_gradient():
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        torch.autograd.backward(graph.get_gradient_edge(leaf() * 2))


def test_gradient_edge_as_input_of_backward():
    x = leaf()
    torch.autograd.backward((x * 2).sum(), inputs=[graph.get_gradient_edge(x)])
    assert x.grad.tolist() == [2.0, 2.0]


def test_gradient_edge_and_tensor_together():
    x, y = leaf(), leaf()
    out = torch.autograd.grad((x * y).sum(), [graph.get_gradient_edge(x), y])
    assert [g.tolist() for g in out] == [[1.0, 2.0], [1.0, 2.0]]


@pytest.mark.parametrize(("write", "others"), [
    (lambda v, x: v.mul_(x), ["SliceBackward0"]), (lambda v, x: v.mul_(3), [None]), (lambda v, x: v.exp_(), []),
    (lambda v, x: v.copy_(x), ["SliceBackward0"]), (lambda v, x: v.zero_(), []),
    (lambda v, x: v.addcmul_(x, x), ["SliceBackward0", "SliceBackward0"])])
def test_next_functions_of_a_write_to_a_view(write, others):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    write(y[:2], x[:2])
    base, *rest = [node and node.name() for node, _ in y.grad_fn.next_functions]
    assert (y.grad_fn.name(), base, rest) == ("torch::autograd::CopySlices", "MulBackward0", others)


def test_raw_saved_shows_what_is_kept():
    x = torch.ones(2, requires_grad=True)
    product, power = x * x, x.exp()
    raw = product.grad_fn._raw_saved_self
    assert raw.data is x
    assert raw.unpack() is x
    assert raw.unpack_hook is None
    output = power.grad_fn._raw_saved_result
    assert (output.data.equal(power), output.data.grad_fn) == (True, None)


def test_raw_saved_shows_what_a_hook_made():
    x = torch.ones(2, requires_grad=True)
    product = x * x

    def unpack(text):
        return torch.full((2,), float(text))

    raw = product.grad_fn._raw_saved_self
    raw.register_hooks(lambda tensor: "7", unpack)
    assert (raw.data, raw.unpack_hook, raw.unpack().tolist()) == ("7", unpack, [7.0, 7.0])
    product.sum().backward()
    assert raw.data is None
    with pytest.raises(RuntimeError, match="a second time"):
        raw.unpack()


def test_raw_saved_of_a_changed_tensor():
    a = torch.ones(2, requires_grad=True) * 1
    raw = (a * a).grad_fn._raw_saved_self
    a.add_(1)
    assert raw.data.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        raw.unpack()


@pytest.mark.parametrize("write", [False, True])
def test_alpha_is_part_of_the_node_of_a_sum(write):
    x, y = torch.ones(3, requires_grad=True), torch.ones(2, 1, requires_grad=True)
    left = torch.zeros(2, 3).add_(x) if write else x
    for name, sign in (("add", 1.0), ("sub", -1.0)):
        total = getattr(left.clone(), name + "_")(y, alpha=3) if write else getattr(left, name)(y, alpha=3)
        assert total.tolist() == [[1.0 + sign * 3.0] * 3] * 2
        assert [node.name() for node, _ in total.grad_fn.next_functions][1] == "torch::autograd::AccumulateGrad"
        assert total.grad_fn._saved_alpha == 3
        first, second = torch.autograd.grad(total.sum(), [x, y], retain_graph=True)
        assert (first.tolist(), second.tolist()) == ([2.0, 2.0, 2.0], [[sign * 9.0], [sign * 9.0]])
