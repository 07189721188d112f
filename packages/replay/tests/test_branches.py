"""Guards that differ: a replay goes on in a branch, and what was written outside is done once."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st


def numbers(*values):
    return wg.tensor([float(value) for value in values], dtype=wg.float64)


def compare(function, calls, outside=(), **options):
    """Call a function and its capture with the same arguments; return the explanation of the capture.

    outside: makes the tensors that the function writes to, for each side its own.
    """
    plain_outside, own_outside = [make() for make in outside], [make() for make in outside]
    captured = wg.capture(lambda *args: function(*args, *own_outside), **options)
    for arguments in calls:
        expected = function(*[one.clone() for one in arguments], *plain_outside)
        got = captured(*[one.clone() for one in arguments])
        assert got.tolist() == expected.tolist()
        assert [one.tolist() for one in own_outside] == [one.tolist() for one in plain_outside]
        assert [one._version for one in own_outside] == [one._version for one in plain_outside]
    return wg.replay.explain(captured)


def either(x):
    y = x * 3
    if y.sum() > 0:
        return y.exp() + x
    return y - x.sin()


def test_both_ways_are_replayed():
    found = compare(either, [[numbers(k)] for k in (1, -1, 2, -2, 3, -3)])
    assert (found.replays, found.eager) == (4, 2)
    (program,) = found.programs
    assert len(program.branches) == 1
    assert program.branches[0].trunk is program


def test_iterations_with_a_tolerance():
    def iterate(x):
        root = wg.ones_like(x)
        for _ in range(50):
            following = 0.5 * (root + x / root)
            if (following - root).abs().max() < 1e-9:
                return following
            root = following
        return root

    calls = [[numbers(value)] for value in (2, 3, 1000, 2.5, 7, 0.01, 2, 1000, 3, 0.01, 1e6, 7)]
    found = compare(iterate, calls)
    assert found.replays >= 6
    assert len(found.programs) == 1


def write_then_decide(x, counter, parameter):
    counter += 1
    parameter.mul_(0.5).add_(x)
    if parameter.sum() > 1:
        parameter.sub_(x)
        return parameter * 2
    return parameter + 1


def test_an_outside_write_is_done_once():
    found = compare(write_then_decide, [[numbers(k)] for k in (0, 0, 5, 5, 0, 0, 5, 0)],
                    outside=(lambda: numbers(0), lambda: numbers(0)))  # fmt: skip
    assert found.replays >= 4


def test_branches_of_branches_share_one_memory():
    def walk(x):
        for _ in range(6):
            x = x * 2 if x.sum() > 0 else x + 3
        return x

    calls = [[numbers(value)] for value in (1, -1, -4, -7, -10, -13, -2, -5, 1, -1, -4, -7, -10, -13, -2, -5)]
    found = compare(walk, calls)
    assert found.replays >= 9
    (program,) = found.programs
    assert program.n_branches == found.eager - 1


def test_shapes_that_depend_on_values():
    def positive(x):
        chosen = x[x > 0]
        return (chosen * chosen).sum() + chosen.shape[0]

    found = compare(positive, [[numbers(1, -2, 3)], [numbers(4, -5, 6)], [numbers(1, 2, 3)], [numbers(-1, 2, -3)],
                               [numbers(7, 8, 9)], [numbers(-1, -1, 1)]])  # fmt: skip
    assert found.replays >= 3


def test_gradients_in_branches():
    def loss(x, w):
        w.grad = None
        y = (w * x).sum()
        value = y * y if y > 0 else y.exp()
        value.backward()
        return w.grad

    def leaf():
        return wg.tensor([0.5, -0.25], dtype=wg.float64, requires_grad=True)

    found = compare(loss, [[numbers(1, 1)], [numbers(-1, 1)], [numbers(2, 1)], [numbers(-2, 3)], [numbers(1, 0)]],
                    outside=(leaf,))  # fmt: skip
    assert found.replays == 2


def test_random_numbers_before_a_guard():
    def noisy(x):
        y = x + wg.rand(2, dtype=wg.float64)
        return y * wg.rand(2, dtype=wg.float64) if y.sum() > 1 else y - wg.rand(2, dtype=wg.float64)

    captured = wg.capture(noisy)
    for seed in range(30):
        results = []
        for function in (noisy, captured):
            wg.manual_seed(seed)
            results.append((function(numbers(0, 0)).tolist(), wg.rand(1).item()))
        assert results[0] == results[1]
    assert wg.replay.explain(captured).replays > 20


def test_a_number_that_always_differs():
    def step(x):
        return x * x.sum().item()

    captured = wg.capture(step)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(20):
            assert captured(numbers(k, 1)).tolist() == step(numbers(k, 1)).tolist()
    assert len(caught) == 1
    line = f"{__file__}:{step.__code__.co_firstlineno + 1}"
    assert f"a number that Python reads ({line}) differs in each call" in str(caught[0].message)


def test_the_bound_of_branches():
    def walk(x):
        for _ in range(5):
            x = x * 2 if x.sum() > 0 else x + 3
        return x

    captured = wg.capture(walk, max_branches=2)
    starts = [numbers(k) for k in range(0, -14, -1)]
    with pytest.warns(RuntimeWarning, match="max_branches"):
        ends = [captured(start).tolist() for start in starts]
    assert ends == [walk(start).tolist() for start in starts]
    (program,) = wg.replay.explain(captured).programs
    assert program.n_branches == 2


def test_python_state_that_changes_the_beginning():
    state = {"factor": 1.0}

    def function(x):
        y = x * state["factor"]
        return y + 1 if y.sum() > 0 else y - 1

    captured = wg.capture(function)
    assert captured(numbers(1)).tolist() == [2.0]
    state["factor"] = 2.0
    with pytest.warns(RuntimeWarning, match="depends on Python's state"):
        assert captured(numbers(-1)).tolist() == [-3.0]
    assert captured(numbers(-1)).tolist() == [-3.0]


def test_an_error_in_a_replay_is_that_of_the_function():
    def solve(x, counter):
        counter += 1
        return wg.linalg.inv(x) + counter

    counter, plain = numbers(0), numbers(0)
    captured = wg.capture(lambda x: solve(x, counter))
    for matrix in ([[1.0, 0.0], [0.0, 2.0]], [[2.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]):
        outcomes = []
        for call in (captured, lambda x: solve(x, plain)):
            try:
                outcomes.append(call(wg.tensor(matrix)).tolist())
            except wg.linalg.LinAlgError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        assert counter.tolist() == plain.tolist()
        assert counter._version == plain._version


def halve(x, bound):
    for _ in range(4):
        if not (x.abs() > bound).any():
            break
        x = x / 2
    return x


def subtract_where_large(x, number, outside):
    if x.sum() > number:
        x = x - 2
        outside.mul_(0.5)
    return x


def take_step(kind, number, x, outside):
    """One step of a random program; "write" and "if" write to ``outside``."""
    if kind == "write":
        outside.add_(x.sum())
        return x
    return {
        "mul": lambda: x * (0.5 + number),
        "add": lambda: x + number,
        "if": lambda: subtract_where_large(x, number, outside),
        "while": lambda: halve(x, 1 + abs(number)),
        "mask": lambda: x + outside[outside > number].sum(),
        "rand": lambda: x + wg.rand(2, dtype=wg.float64).round(),
    }[kind]()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["mul", "add", "write", "if", "while", "rand", "mask"]),
                          st.integers(-3, 3)), min_size=2, max_size=7),
       st.lists(st.integers(-4, 4), min_size=3, max_size=7))  # fmt: skip
def test_random_control_flow(steps, values):
    def program(x, outside):
        for kind, number in steps:
            x = take_step(kind, number, x, outside)
        return x + outside.sum()

    own, plain = numbers(1, 2), numbers(1, 2)
    captured = wg.capture(lambda x: program(x, own))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value in values:
            wg.manual_seed(5)
            expected = program(numbers(value, -value), plain)
            wg.manual_seed(5)
            got = captured(numbers(value, -value))
            assert (got.tolist(), own.tolist(), own._version) == (expected.tolist(), plain.tolist(), plain._version)


def both_ways(x, y):
    return y if x.sum() > 0 else y * 2


ARRAYS = {
    "a cast": lambda x: both_ways(x, x * wg.from_numpy(np.array([3, 4])).to(wg.float64)),
    "a product": lambda x: both_ways(x, x * (wg.from_numpy(np.array([3.0, 4.0])) * 2)),
    "used behind": lambda x: both_ways(x, x) * wg.from_numpy(np.array([3.0, 4.0])),
    "used on both sides": lambda x: with_an_array_on_both_sides(x, wg.from_numpy(np.array([3.0, 4.0]))),
    "two of them": lambda x: both_ways(x, x * wg.from_numpy(np.ones(2)) + wg.from_numpy(np.ones(3))[1:]),
    "a driver": lambda x: both_ways(x, x * wg.special.zeta(wg.from_numpy(np.array([3.0, 4.0])), x.abs() + 1)),
    "a number that is read twice": lambda x: both_ways(x * wg.from_numpy(np.array([1.0, -1.0])), both_ways(x, x)),
}  # fmt: skip


def with_an_array_on_both_sides(x, array):
    y = x * array
    return y + array if x.sum() > 0 else y - array.exp()


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_the_function_makes_are_the_same_in_a_branch(name):
    found = compare(ARRAYS[name], [[numbers(k, -1)] for k in (2, 0, 3, -2, 4, 0.5, -3)])
    assert found.replays >= 4
    assert not any("did something else" in one for one in found.reasons)


def test_an_array_with_other_numbers_is_no_branch():
    rows = itertools.count()

    def function(x):
        array = np.full(2, float(next(rows)))
        return both_ways(x, x * wg.from_numpy(array))

    captured = wg.capture(function, quiet=True)
    for value in (2, -2, 3, -3):
        captured(numbers(value, 0))
    assert any("did something else than in its first recording" in one or "of Python that it reads" in one
               for one in wg.replay.explain(captured).reasons)  # fmt: skip
