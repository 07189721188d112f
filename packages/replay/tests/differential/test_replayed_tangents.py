"""Tangents that a captured function computes, of operations whose drivers tell no launches, too."""

from __future__ import annotations

import pytest
import wengert as wg

from .scenarios import check_reason, compare_runs

forward_ad = wg.autograd.forward_ad
OPERATIONS = [
    lambda t: t.prod(), lambda t: t.prod(0), lambda t: t.std(), lambda t: t.var(0), lambda t: wg.var_mean(t)[0],
    lambda t: t.norm(), lambda t: t.logsumexp(0), lambda t: t.sin(), lambda t: t @ t.T, lambda t: t.cumprod(0),
    lambda t: wg.linalg.det(t @ t.T), lambda t: t.sort(0).values.sum(), lambda t: t.clone().mul_(t).exp(),
]  # fmt: skip

UNKNOWN = {(2, 3): (0, 1, 10), (0, 3): (*range(9), 10, 11, 12)}
"""Operations whose drivers tell no launches of the tangent, by the shape."""
NOT_MADE = "an operation that replays call makes a value, such as a tangent"


@pytest.mark.parametrize("number", range(len(OPERATIONS)))
@pytest.mark.parametrize("shape", [(2, 3), (0, 3)])
@pytest.mark.filterwarnings("ignore")
def test_tangents_are_those_of_each_call(number, shape):
    operation = OPERATIONS[number]

    def generate(capture):
        def function(x, tangent):
            with forward_ad.dual_level():
                made = forward_ad.unpack_dual(operation(forward_ad.make_dual(x, tangent)))
                return made.primal * 1, made.tangent

        f = capture(function)
        for k in range(4):
            x = wg.linspace(-1, 1 + k, shape[0] * shape[1], dtype=wg.float64).reshape(shape)
            yield f(x, x.cos() + k)

    outcome = compare_runs(generate)
    if number in UNKNOWN[shape]:
        check_reason(outcome, NOT_MADE)
    else:
        assert outcome.replays == 3


def test_tangents_that_operations_use():
    def generate(capture):
        def function(x):
            with forward_ad.dual_level():
                made = forward_ad.unpack_dual(forward_ad.make_dual(x, x * 2).prod())
                return (made.tangent * 3).sin()

        f = capture(function)
        for k in range(4):
            yield f(wg.linspace(0.5, 1 + k, 6).reshape(2, 3))

    check_reason(compare_runs(generate), NOT_MADE)


def test_tangents_with_launches_are_replayed():
    def generate(capture):
        def function(x):
            with forward_ad.dual_level():
                return forward_ad.unpack_dual(forward_ad.make_dual(x, x * 2).sin().exp()).tangent

        f = capture(function)
        for k in range(4):
            yield f(wg.linspace(0.5, 1 + k, 6).reshape(2, 3))

    assert compare_runs(generate).replays == 3
