"""Leaves that a captured function makes of its arguments, and views that require gradients because their base does."""

from __future__ import annotations

import pytest
import wengert as wg

from ..differential.scenarios import compare_runs

FUNCTIONS = {
    "leaf of an argument": lambda x, w: (x.detach().requires_grad_() * 2).sum(),
    "beside the argument": lambda x, w: (x.detach().requires_grad_() * 3 + x * 2).sum(),
    "of a part": lambda x, w: (x.detach()[1:].requires_grad_() * 2).sum() + (x * w).sum(),
    "of a copy": lambda x, w: (x.detach().clone().requires_grad_() * 3 + x * 2).sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("calls_before_backward", [1, 2])
def test_gradients_of_an_argument_are_its_own(name, requires_grad, calls_before_backward):
    def generate(capture):
        function, w = capture(FUNCTIONS[name]), wg.ones(3, requires_grad=True)
        for k in range(4):
            arguments = [wg.full((3,), float(k), requires_grad=requires_grad) for _ in range(calls_before_backward)]
            results = [function(one, w) for one in arguments]
            for one in results:
                one.backward()
            yield [(one.detach() * 1, one.requires_grad) for one in results]
            yield [one.grad is None or one.grad * 1 for one in (*arguments, w)]

    outcome = compare_runs(generate)
    assert outcome.replays > 0 or "leads to a leaf that the function makes of an argument" in outcome.reasons[0]


def view_of_a_product(x, w):
    y = x * w
    with wg.no_grad():
        return y[1:]


def view_of_a_new_leaf(x, w):
    with wg.no_grad():
        return wg.nn.Parameter(x.abs()).view(3)


def view_before_its_base_is_a_leaf(x, w):
    y = x * 1
    view = y[1:]
    y.requires_grad_()
    return view


@pytest.mark.parametrize("function", [view_of_a_product, view_of_a_new_leaf, view_before_its_base_is_a_leaf],
                         ids=lambda one: one.__name__)  # fmt: skip
def test_a_view_requires_gradients_as_its_base_does(function):
    def generate(capture):
        captured, w = capture(function), wg.ones(3, requires_grad=True)
        for k in range(4):
            yield captured(wg.full((3,), float(k)), w)

    assert "because its base does" in compare_runs(generate).reasons[0]
