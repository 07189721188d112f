"""Sequence numbers: an edge always leads to an older node."""

import wengert_core as wc
from wengert_engine.graph.node import order_of


def nodes_of(tensor):
    seen, stack = {}, [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            stack.extend(parent for parent, _ in node.next_functions if parent is not None)
    return list(seen.values())


def test_edges_lead_to_smaller_numbers_also_after_writes_to_views():
    x = wc.ones(4, requires_grad=True)
    y = x * 2
    a, b = y[:2], y[1:]
    a.mul_(3)
    z = b * x[1:]
    y[3].add_(a.sum())
    total = (z * b).sum() + y.sum()
    for node in nodes_of(total):
        for parent, _ in node.next_functions:
            assert parent is None or order_of(parent) < order_of(node)


def test_an_early_branch_that_is_used_late_runs_after_all_its_users():
    x = wc.tensor([2.0], dtype=wc.float64, requires_grad=True)
    early = x * 3
    y = x
    for _ in range(10):
        y = y * early
    (y + early).sum().backward()
    assert x.grad.tolist() == [3.0**10 * 11 * 2.0**10 + 3.0]


def test_names_and_edges_of_nodes():
    x = wc.ones(2, requires_grad=True)
    y = x * 2
    assert (y.grad_fn.name(), type(y.grad_fn).__name__) == ("MulBackward0", "MulBackward0")
    (node, nr), _ = y.grad_fn.next_functions
    assert (node.name(), nr, node.variable is x) == ("torch::autograd::AccumulateGrad", 0, True)
    assert y.exp().grad_fn._saved_result.shape == (2,)
