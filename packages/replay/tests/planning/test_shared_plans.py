"""Plans of launches that many calls share, and what passes make of launches with one plan."""

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st

SHAPES = [(), (1,), (3,), (2, 3), (70,)]
DTYPES = [wg.float32, wg.float64]


def compute(operations, tensors):
    """Run operations on values by their numbers; each result is a value too."""
    values = list(tensors)
    for name, first, second, number in operations:
        x, y = values[first % len(values)], values[second % len(values)]
        if name == "add_":
            x.add_(y)
        elif name == "mul_":
            x.mul_(number)
        elif name == "number":
            values.append(x * number)
        elif name == "reversed":
            values.append(number - x)
        else:
            values.append(getattr(wg, name)(x, y))
    return [one * 1 for one in values]


names = st.sampled_from(["add", "sub", "mul", "div", "maximum", "number", "reversed", "add_", "mul_"])
numbers = st.sampled_from([0.0, -0.0, 1.0, 2, -3, 0.1, 1e-3, 1e300, 2.5])
steps = st.lists(st.tuples(names, st.integers(0, 30), st.integers(0, 30), numbers), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(steps, st.sampled_from(SHAPES), st.sampled_from(DTYPES))
def test_replays_give_the_same_bits(operations, shape, dtype):
    captured = wg.capture(lambda *tensors: compute(operations, tensors))
    for k in range(3):
        for_call, for_replay = ([wg.full(shape, v + k, dtype=dtype) for v in (0.5, -1.25)] for _ in range(2))
        expected, found = compute(operations, for_call), captured(*for_replay)
        for one, other in zip([*expected, *for_call], [*found, *for_replay], strict=True):
            assert one.numpy().tobytes() == other.numpy().tobytes()
            assert one._version == other._version


def test_more_plans_than_are_remembered():
    def function(x):
        parts = [x[:n] * (k + 0.5) + k for k in range(150) for n in (1, 2, 3)]
        return wg.cat(parts)

    captured = wg.capture(function)
    for k in range(3):
        x = wg.arange(3.0) + k
        assert captured(x).tolist() == function(x).tolist()


def test_the_same_arithmetic_in_place_and_not():
    def function(x, y):
        first = x + y
        x = x * 1.5
        other = x + y
        x.add_(y)
        return first * other * x

    captured = wg.capture(function)
    for k in range(3):
        x, y = wg.tensor(0.5 + k), wg.tensor(-0.25)
        assert captured(x, y).item() == function(x, y).item()


@pytest.mark.parametrize("n", [1, 40])
def test_backward_that_writes_outside_is_noticed_among_many_tensors(n):
    log = wg.zeros(())
    weights = [wg.ones(2, requires_grad=True) for _ in range(n)]

    def function(x):
        y = x * sum(w.sum() for w in weights)
        y.register_hook(lambda grad: log.add_(1) and None)
        return y.sum()

    captured = wg.capture(function, quiet=True)
    for _ in range(3):
        captured(wg.ones(2, requires_grad=True)).backward()
    assert log.item() == 3
    assert any("written to in backward" in why for why in wg.replay.explain(captured).reasons)
    assert [w.grad.tolist() for w in weights] == [[6.0, 6.0]] * n


def test_an_operand_that_lies_in_its_plan_stays_with_it():
    captured = wg.capture(lambda x: x.masked_fill(x > 0.3, 0.25).masked_fill(x > 0.1, 0.25))
    x = wg.linspace(-1, 1, 6)
    expected = captured(x)
    for _ in range(3):
        assert wg.equal(captured(x), expected)
