"""Functions that store what they return, or an argument, as the state of the next call: replays do not run that."""

from __future__ import annotations

import pytest
import wengert as wg

from .differential.scenarios import compare_runs


class Cell:
    """A state, and a leaf that it is multiplied by."""

    def __init__(self, differentiates):
        self.h, self.w = wg.zeros(3), wg.full((3,), 0.9, requires_grad=differentiates)


def keep(cell, x):
    cell.h = (cell.h * cell.w + x).tanh()
    return cell.h


def keep_detached(cell, x):
    h = (cell.h * cell.w + x).tanh()
    cell.h = h.detach()
    return h


def keep_data(cell, x):
    h = (cell.h * cell.w + x).tanh()
    cell.h = h.data
    return {"h": [h]}["h"][0]


def keep_view(cell, x):
    h = (cell.h * cell.w + x).exp()
    cell.h = h.detach()[:]
    return h


def keep_one_of_two(cell, x):
    before = cell.h * x
    h = (cell.h * cell.w + x).tanh()
    cell.h = h.detach()
    return before, h


def keep_argument(cell, x):
    result = cell.h * cell.w + x
    cell.h = x
    return result


STEPS = [keep, keep_detached, keep_data, keep_view, keep_one_of_two, keep_argument]


@pytest.mark.filterwarnings("ignore:wengert.capture")
@pytest.mark.parametrize("keeps_results", [False, True], ids=["dropped", "kept"])
@pytest.mark.parametrize("differentiates", [False, True], ids=["plain", "graph"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_state_goes_on_from_call_to_call(step, differentiates, keeps_results):
    def generate(capture):
        cell, kept = Cell(differentiates), []
        function = capture(lambda x: step(cell, x))
        for k in range(12):
            result = function(wg.full((3,), 0.1 * k))
            if keeps_results:
                kept.append(result)
            last = result[-1] if isinstance(result, tuple) else result
            if differentiates and step is not keep:
                last.sum().backward()
            yield last.detach() * 1, cell.h.detach() * 1, cell.w.grad
            del result, last

    compare_runs(generate)


@pytest.mark.parametrize("differentiates", [False, True], ids=["plain", "graph"])
def test_results_that_nobody_else_has_are_replayed(differentiates):
    """A result that a graph, a tangent, a gradient or another result refers to is stored by nobody."""
    w = wg.full((3,), 0.9, requires_grad=differentiates)

    def step(x):
        first = (w * x).exp()
        second = first * first.tanh()
        leaf = x.detach().requires_grad_()
        with wg.enable_grad():
            (leaf * 2).sum().backward()
        with wg.autograd.forward_ad.dual_level():
            dual = wg.autograd.forward_ad.make_dual(x, x * 2)
            parts = wg.autograd.forward_ad.unpack_dual(dual.sin())
        return first, [second, {"first": first}], parts.primal * 1, parts.tangent

    def generate(capture):
        function = capture(step)
        for k in range(6):
            yield function(wg.full((3,), 0.1 * k))

    assert compare_runs(generate).replays >= 4
