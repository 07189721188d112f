"""Leaves that a captured function makes: fresh in each call, as in an eager run, or the call runs as usual."""

from __future__ import annotations

import pytest
import wengert as wg

explain = wg.replay.explain
OUTSIDE = wg.arange(4.0) + 1


class Holder:
    """An object in which a function stores a leaf."""

    leaf = None


def parameter_and_product(holder, x):
    leaf = wg.nn.Parameter(OUTSIDE)
    return leaf, (leaf * x).sum()


def detached_and_product(holder, x):
    leaf = OUTSIDE.detach().requires_grad_()
    return leaf, (leaf * x).sum()


def detached_alone(holder, x):
    return OUTSIDE.detach().requires_grad_()


def part_alone(holder, x):
    return OUTSIDE.detach()[1:].requires_grad_()


def parameter_alone(holder, x):
    return wg.nn.Parameter(OUTSIDE)


def leaf_with_gradient(holder, x):
    leaf = wg.ones(4).requires_grad_()
    (leaf * x).sum().backward()
    return leaf


def outside_leaf_with_gradient(holder, x):
    leaf = OUTSIDE.detach().requires_grad_()
    (leaf * x).sum().backward()
    return leaf


def gradient_of_a_parameter(holder, x):
    leaf = wg.nn.Parameter(OUTSIDE)
    (leaf * x).sum().backward()
    return leaf.grad


def stored_leaf(holder, x):
    holder.leaf = wg.ones(4).requires_grad_()
    return (holder.leaf * x).sum()


def stored_data(holder, x):
    holder.leaf = OUTSIDE.data.requires_grad_()
    return (holder.leaf * x).sum()


def product_alone(holder, x):
    return (wg.nn.Parameter(OUTSIDE) * x).sum()


def facts(holder, result):
    """Facts of a result behind a backward of all of it, and of what the function has stored."""
    parts = result if isinstance(result, tuple) else (result,)
    for part in parts:
        if part.requires_grad:
            (part * 2).sum().backward()
    leaves = [one for one in (*parts, holder.leaf) if one is not None and one.is_leaf]
    return [
        (one.tolist(), one.requires_grad, None if one.grad is None else one.grad.tolist(), one._version)
        for one in (*parts, *leaves)
        if one.is_leaf
    ], [part.tolist() for part in parts]


FUNCTIONS = {
    parameter_and_product: 0, detached_and_product: 0, detached_alone: 4, part_alone: 4, parameter_alone: 0,
    leaf_with_gradient: 0, outside_leaf_with_gradient: 0, gradient_of_a_parameter: 4, stored_leaf: 0, stored_data: 0,
    product_alone: 4,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:wengert.capture")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_leaf_of_the_function_is_another_one_in_each_call(function):
    holders, kept = (Holder(), Holder()), []
    captured = wg.capture(function)
    for k in range(5):
        x = wg.full((4,), k + 1.0)
        results = captured(holders[0], x), function(holders[1], x)
        assert facts(holders[0], results[0]) == facts(holders[1], results[1])
        kept.append(results[0])  # so that no object takes the place of another one
    assert explain(captured).replays == FUNCTIONS[function]
    assert len({id(part) for one in kept for part in (one if isinstance(one, tuple) else (one,))}) in (5, 10)


def test_a_leaf_that_is_a_result_is_refused_by_the_first_recording():
    captured = wg.capture(lambda x: parameter_and_product(None, x))
    with pytest.warns(RuntimeWarning, match="a result is a leaf that the function has made"):
        captured(wg.ones(4))
    assert explain(captured).eager == 1
    assert explain(captured).reasons == ["a result is a leaf that the function has made"]


def test_a_leaf_from_outside_that_is_a_result_is_the_same_one():
    weight = wg.ones(4, requires_grad=True)
    captured = wg.capture(lambda x: (weight, (weight * x).sum()))
    for k in range(4):
        found, product = captured(wg.full((4,), float(k)))
        assert found is weight
        product.backward()
    assert weight.grad.tolist() == [6.0] * 4
    assert explain(captured).replays >= 2


def test_a_leaf_that_the_first_call_stores_is_from_outside_in_later_ones():
    holder = Holder()

    def step(x):
        if holder.leaf is None:
            holder.leaf = wg.ones(4).requires_grad_()
        return (holder.leaf * x).sum()

    captured = wg.capture(step)
    for k in range(1, 6):
        captured(wg.full((4,), float(k))).backward()
    assert holder.leaf.grad.tolist() == [15.0] * 4
    assert explain(captured).replays == 3
