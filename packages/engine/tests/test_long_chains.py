"""A chain of a million nodes is built, differentiated and freed in loops, never by recursion. Nothing is
left behind.
"""

import gc

import pytest
import wengert_core as wc
from wengert_engine import Function, grad

LONG = 1_000_000
DEEP = 400_000  # calls inside of each other take 32 bytes of a stack at least: more than the 8 MiB that it has
pytestmark = [pytest.mark.host("long graphs, whatever they are of: minutes on the simulated device"),
              pytest.mark.native("long graphs, whatever kernels compute")]


@pytest.mark.parametrize(("step", "nodes"), [(lambda y: y * 1.0, LONG), (lambda y: y.sin(), DEEP),
                                             (lambda y: y.view(1), DEEP), (lambda y: y[0:1], DEEP)],
                         ids=["mul", "sin", "view", "slice"])
def test_a_million_nodes(step, nodes):
    x = wc.tensor([0.5], requires_grad=True)
    y = x
    for _ in range(nodes):
        y = step(y)
    y.sum().backward()
    assert x.grad.shape == (1,)
    del y


def test_a_long_chain_is_freed_without_a_backward():
    x = wc.tensor([0.5], requires_grad=True)
    y = x
    for _ in range(DEEP):
        y = y * 1.0
    del y


def test_long_inplace_chain():
    x = wc.tensor([1.0], requires_grad=True)
    y = x * 1
    for _ in range(100_000):
        y.mul_(1.0)
    y.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_a_long_chain_of_functions():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    x = wc.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(100_000):
        y = Same.apply(y)
    y.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_grad_of_an_early_input_walks_without_recursion():
    x = wc.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(200_000):
        y = y * 1.0
    assert grad(y.sum(), x)[0].tolist() == [1.0]


def test_small_graphs_leave_nothing_behind():
    x = wc.ones(8, requires_grad=True)

    def one():
        (x * x).sum().backward()
        x.grad = None

    for _ in range(100):
        one()
    gc.collect()
    before = wc.memory.stats()["bytes_in_use"]
    for _ in range(20_000):
        one()
    gc.collect()
    assert wc.memory.stats()["bytes_in_use"] == before


def test_cycles_of_create_graph_are_collected():
    def one():
        x = wc.ones(8, requires_grad=True)
        g, = grad((x * x * x).sum(), x, create_graph=True)
        x.grad = g                     # x -> grad -> its history -> x
    one()
    gc.collect()
    before = wc.memory.stats()["bytes_in_use"]
    for _ in range(200):
        one()
    gc.collect()
    assert wc.memory.stats()["bytes_in_use"] == before
