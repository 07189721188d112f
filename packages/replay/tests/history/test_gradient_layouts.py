"""Gradients behind a captured function that repeat elements or have gaps: strides and versions as in an eager run."""

from __future__ import annotations

import pytest
import wengert as wg

FUNCTIONS = {
    "sum": lambda x, w: x.sum() + 0 * w.sum(),
    "sums of columns": lambda x, w: x.sum(0) + w.sum(0),
    "sums of rows": lambda x, w: x.sum(1, keepdim=True) - w.sum(1, keepdim=True),
    "mean": lambda x, w: (x + w).mean(),
    "mean of columns": lambda x, w: (x + w).mean(0),
    "two results": lambda x, w: (x.sum(0), w.sum() * x.sum()),
    "parts of rows": lambda x, w: wg.cat([x, w], 1) * 2,
    "pairs": lambda x, w: wg.stack([x * 1, w], 2),
    "difference": lambda x, w: x.t().sum(0) - 2 * w.sum(1),
}


def facts(gradient):
    return gradient.tolist(), gradient.stride(), gradient._version


def calls(function, w):
    """Return facts of gradients of several calls: those that hooks see, those of leaves, those that grad gives."""
    found = []
    for _ in range(4):
        for backward in (True, False):
            x = wg.arange(8.0).reshape(2, 4).requires_grad_()
            w.grad, seen = None, []
            x.register_hook(lambda g, seen=seen: seen.append(facts(g)))
            results = function(x, w)
            total = sum(one.sum() for one in (results if isinstance(results, tuple) else (results,)))
            if backward:
                total.backward()
                found.append((seen, facts(x.grad), facts(w.grad)))
            else:
                found.append([facts(one) for one in wg.autograd.grad(total, (x, w))])
    return found


@pytest.mark.parametrize("outside", [False, True], ids=["argument", "outside"])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_gradients_that_repeat_elements_are_those_of_an_eager_run(function, outside):
    w = wg.full((2, 4), 0.5, requires_grad=True)
    captured = wg.capture(lambda x: function(x, w)) if outside else wg.capture(function)
    assert calls((lambda x, _: captured(x)) if outside else captured, w) == calls(function, w)
