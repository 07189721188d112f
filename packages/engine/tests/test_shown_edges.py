"""Edges of numbers: tools and hooks see those of next_functions; tests/torch_parity/recorded has PyTorch's."""

import pytest
import wengert_core as wc
from wengert_core.optable.lazy_names import OPS
from wengert_engine import grad
from wengert_engine.record import node_probe


def leaf():
    return wc.tensor([[0.5, 2.0], [1.0, 3.0]], requires_grad=True)


def base_after(write):
    base = leaf() * 1
    write(base)
    return base


NODES = {
    "pow": (lambda x: x ** 2, ("self",)),
    "pow of a number": (lambda x: 2 ** x, ("exponent",)),
    "pow of tensors": (lambda x: x ** wc.ones(2), ("self", "exponent")),
    "rsub": (lambda x: 1 - x, ("other",)),
    "clamp": (lambda x: x.clamp(0, 1), ("self",)),
    "clamp by a tensor": (lambda x: x.clamp(wc.zeros(2)), ("self", "min", "max")),
    "mul": (lambda x: x * 2, ("self", "other")),
    "mul of a number": (lambda x: 2 * x, ("self", "other")),
    "quotient of a number": (lambda x: 2 / x, ("self", "other")),
    "lerp": (lambda x: x.lerp(x.detach(), 0.5), ("self", "end")),
    "linear": (lambda x: OPS["nn.functional.linear"](x, x.detach()), ("input", "weight")),
    "error": (lambda x: x // 2, ("",)),
    "write": (lambda x: base_after(lambda base: base[0].pow_(2)), ("",)),
    "assignment": (lambda x: base_after(lambda base: base.__setitem__(0, 2.0)), ("", "")),
}


@pytest.mark.parametrize("name", NODES)
def test_names_of_inputs_are_those_of_the_edges(name):
    function, names = NODES[name]
    node = function(leaf()).grad_fn
    assert node_probe.input_names(node) == names
    assert len(node.next_functions) == len(node_probe.zero_inputs(node)) == len(names)


@pytest.mark.parametrize("name", [name for name in NODES if name != "error"])
def test_a_call_and_hooks_give_a_gradient_for_each_edge(name):
    x, seen = leaf(), []
    y = NODES[name][0](x)
    n = len(y.grad_fn.next_functions)
    y.grad_fn.register_hook(lambda grad_inputs, _: seen.append(len(grad_inputs)))
    y.sum().backward(retain_graph=True)
    result = y.grad_fn(wc.ones(2, 2))
    assert seen == [n]
    assert len(result) == n if n > 1 else isinstance(result, wc.Tensor)


def test_the_derivative_of_a_hidden_edge_is_not_zero_by_mistake():
    assert node_probe.zero_inputs(leaf().sign().grad_fn) == (True,)
    assert node_probe.zero_inputs((leaf() ** 2).grad_fn) == (False,)


def test_what_a_hook_returns_reaches_the_edge_behind_a_hidden_one():
    x = leaf()
    y = 2 ** x
    y.grad_fn.register_hook(lambda grad_inputs, _: (grad_inputs[0] * 0 + 7,))
    assert grad(y.sum(), x)[0].tolist() == [[7.0, 7.0], [7.0, 7.0]]


def test_the_recorded_edges_serve_derivatives_of_derivatives_through_a_call():
    x = leaf()
    slope = (x ** 3).grad_fn(wc.ones(2, 2))
    assert grad(slope.sum(), x)[0].tolist() == (6 * x.detach()).tolist()
