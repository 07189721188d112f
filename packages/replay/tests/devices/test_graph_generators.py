"""Random numbers of checkpoints in graphs: a replay's backward draws what its forward has drawn."""

from __future__ import annotations

import pytest
import wengert as wg
from sim_graphs import CUDAGraph, graph, make_graphed_callables
from wengert import nn
from wengert.utils.checkpoint import checkpoint, checkpoint_sequential

dropout = nn.functional.dropout


def layer(x):
    """Gradients are the mask, which is what forward has dropped."""
    return dropout(x, 0.5) * 1.0


def plain(x):
    return checkpoint(layer, x, use_reentrant=False)


def several(x):
    return plain(dropout(plain(x), 0.25))


def within_another(x):
    return checkpoint(lambda x: layer(plain(layer(x))), x, use_reentrant=False)


def sequential(x):
    return checkpoint_sequential([layer, layer, layer], 2, x, use_reentrant=False)


def reentrant(x):
    return checkpoint(layer, x, use_reentrant=True)


FUNCTIONS = [plain, several, within_another, sequential, reentrant]


def eager(function, n):
    """Results, gradients, and what is drawn behind, of n calls."""
    wg.manual_seed(5)
    found = []
    for _ in range(n):
        x = wg.ones(8, device="sim").requires_grad_()
        y = function(x)
        y.sum().backward()
        found.append((y.tolist(), x.grad.tolist()))
    return found, wg.rand(3, device="sim").tolist()


@pytest.mark.parametrize("options", [{}, {"check_input_liveness": True}], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_forward_and_backward_in_one_graph(function, options):
    x = wg.ones(8, device="sim").requires_grad_()
    x.grad = wg.zeros(8, device="sim")
    made = CUDAGraph()
    with graph(made, **options):
        x.grad.zero_()
        y = function(x)
        y.sum().backward()
    wg.manual_seed(5)
    found = []
    for _ in range(4):
        made.replay()
        found.append((y.tolist(), x.grad.tolist()))
    assert (found, wg.rand(3, device="sim").tolist()) == eager(function, 4)
    assert len({str(one) for one in found}) > 1


@pytest.mark.parametrize("function", [one for one in FUNCTIONS if one is not reentrant])
def test_backward_in_another_graph_with_the_pool(function):
    x = wg.ones(8, device="sim").requires_grad_()
    forward, backward = CUDAGraph(), CUDAGraph()
    with graph(forward):
        y = function(x)
    with graph(backward, pool=forward.pool()):
        (found,) = wg.autograd.grad(y.sum(), x)
    wg.manual_seed(5)
    rows = []
    for _ in range(3):
        forward.replay()
        backward.replay()
        rows.append((y.tolist(), found.tolist()))
    assert (rows, wg.rand(3, device="sim").tolist()) == eager(function, 3)


@pytest.mark.parametrize("function", FUNCTIONS[:4])
def test_graphed_callables(function):
    graphed = make_graphed_callables(function, (wg.ones(8, device="sim").requires_grad_(),))
    assert eager(graphed, 4) == eager(function, 4)


def test_two_graphed_callables():
    sample = (wg.ones(8, device="sim").requires_grad_(),)
    first, second = make_graphed_callables((plain, several), (sample, sample))
    assert eager(lambda x: second(first(x)), 4) == eager(lambda x: several(plain(x)), 4)


def test_a_graph_below_a_profiler():
    """Checkpoints in a graph draw anew while a profiler observes the thread; all else is as ever."""
    x = wg.ones(8, device="sim")
    made = CUDAGraph()
    with wg.profiler.profile(), graph(made):
        y = x * 2 + wg.rand(8, device="sim")
    made.replay()
    assert ((y >= 2) & (y < 3)).all()
