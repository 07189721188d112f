"""The engine against the naive one of wengert_testing: random programs of views, writes, hooks, detached aliases,
no_grad blocks, freed graphs and several backward passes give the same gradients, hook calls and errors.
"""

import random
import types

import pytest
import wengert_core as wc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wengert_engine import no_grad
from wengert_testing import naive, programs

ENGINE = types.SimpleNamespace(tensor=wc.tensor, no_grad=no_grad)
BLOCKS = range(20)
# Hypothesis draws the same programs in every run (derandomize): in about one of a thousand programs of views the naive
# engine differs from PyTorch, not the engine: it drops a retained gradient, and takes rows of an expanded tensor for
# elements that overlap.


def assert_same(steps):
    ours, theirs = programs.run(ENGINE, steps, dtype=wc.float64), programs.run(naive, steps)
    assert ours.keys() == theirs.keys()
    assert ours["errors"] == theirs["errors"]
    for part in theirs.keys() - {"errors"}:
        assert close(ours[part], theirs[part]), f"{part}: {ours[part]} instead of {theirs[part]}"


def close(ours, theirs):
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(close, ours, theirs))
    return ours == theirs or (None not in (ours, theirs) and abs(ours - theirs) <= 1.5e-6 * max(1.0, abs(theirs)))


def assert_all_same(seeds):
    for seed in seeds:
        assert_same(programs.random_program(random.Random(seed)))


@pytest.mark.parametrize("block", BLOCKS)
def test_drawn_from_seeds(block):
    assert_all_same(range(100_000 + 100 * block, 100_000 + 100 * (block + 1)))


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(programs.STEPS), *[st.integers(0, 99)] * 3), min_size=1, max_size=30))
def test_drawn_by_hypothesis(steps):
    assert_same([*steps, ("backward", 0, 0, 1)])


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from([*programs.VIEWS, *programs.WRITES, "mul", "retain_grad", "hook"]),
                          st.integers(2, 99), st.integers(0, 99), st.integers(0, 99)), min_size=5, max_size=40))
def test_mostly_views_and_writes(steps):
    """Starts from what is no leaf, so that most writes are allowed."""
    assert_same([("mul", 0, 2, 1), ("mul", 2, 2, 1), *steps, ("backward", 0, 0, 0), ("backward", 0, 1, 1)])


def test_the_naive_engine_can_fail_this():
    """A wrong rule is found: the comparison compares."""
    rules = naive.RULES["mul"]
    naive.RULES["mul"] = (rules[0], lambda g, a, b, o: (g * b, g), rules[2])
    try:
        with pytest.raises(AssertionError):
            assert_all_same(range(50))
    finally:
        naive.RULES["mul"] = rules


def test_a_write_of_a_dead_view_to_a_view_of_several():
    """What is written to is looked at first, as in PyTorch."""
    views = [("sin", 0, 0, 0), ("unbind", 2, 0, 0), ("unbind", 1, 0, 0), ("unbind", 84, 0, 0)]
    assert_same([*views, ("add_", 3, 0, 0), ("add_", 4, 9, 0), ("backward", 0, 0, 1)])


def test_an_operand_of_a_write_to_a_view_of_a_constant_may_change_later():
    """No gradient goes to what the constant was, so that nothing asks for the operand."""
    views = [("mul", 0, 2, 1), ("mul", 2, 2, 1), ("select", 2, 0, 0), ("select", 2, 0, 0), ("select", 2, 0, 0)]
    assert_same([*views, ("mul", 9, 0, 0), ("mul_", 5, 26, 0), ("add_", 8, 0, 0), ("backward", 0, 0, 0),
                 ("backward", 0, 1, 1)])  # fmt: skip
