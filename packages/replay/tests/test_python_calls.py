"""Python functions inside of a program (compiler.disable): each replay calls them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import wengert as wg


def numbers(*values):
    return wg.tensor([float(value) for value in values], dtype=wg.float64)


def test_effects_happen_in_each_replay():
    seen = []

    @wg.compiler.disable
    def note(x):
        seen.append(x.tolist())

    @wg.capture
    def function(x):
        y = x * 2
        note(y)
        return y + 1

    for k in range(5):
        assert function(numbers(k)).tolist() == [2.0 * k + 1]
    assert seen == [[0.0], [2.0], [4.0], [6.0], [8.0]]
    assert wg.replay.explain(function).replays == 4


def test_tensors_that_it_gives_are_values_of_the_program():
    scale = {"now": 1.0}

    @wg.compiler.disable
    def factor():
        return wg.tensor(scale["now"], dtype=wg.float64)

    function = wg.capture(lambda x: x * factor() + 1)
    for k in range(5):
        scale["now"] = float(k)
        assert function(numbers(2)).tolist() == [2.0 * k + 1]
    assert wg.replay.explain(function).replays == 4


def test_a_number_that_it_gives_is_a_guard():
    state = {"depth": 2}

    @wg.compiler.disable
    def depth():
        return state["depth"]

    def function(x):
        for _ in range(depth()):
            x = x * 2
        return x

    captured = wg.capture(function)
    for k in (2, 2, 3, 3, 2, 3):
        state["depth"] = k
        assert captured(numbers(1)).tolist() == [2.0**k]
    assert wg.replay.explain(captured).replays == 4


def test_versions_of_tensors_that_it_writes_to():
    count, plain = wg.zeros(()), wg.zeros(())

    @wg.compiler.disable
    def advance(step):
        step.add_(1)
        return wg.tensor(0.5 ** step.item())

    def function(x, step):
        return x * advance(step) + step

    captured = wg.capture(lambda x: function(x, count))
    for k in range(5):
        assert captured(numbers(k)).tolist() == function(numbers(k), plain).tolist()
        assert (count.tolist(), count._version) == (plain.tolist(), plain._version)
    assert wg.replay.explain(captured).replays == 4


def views_of(outside):
    yield lambda: outside[1:]
    yield lambda: outside.detach()
    yield lambda: outside.view(2, 2).t()


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("requires_grad", [False, True])
def test_views_of_tensors_from_outside_that_are_made_for_it(number, requires_grad):
    def run(capture):
        outside = numbers(1, 2, 3, 4).requires_grad_(requires_grad)
        seen = []

        @wg.compiler.disable
        def change(view):
            seen.append((view.tolist(), view.stride(), view.requires_grad))
            with wg.no_grad():
                view.add_(1)
            return view.detach().sum()

        make = list(views_of(outside))[number]
        function = capture(lambda x: x * change(make()) + outside.detach().sum())
        for k in range(4):
            yield function(numbers(k)).tolist(), outside.tolist(), outside._version, seen

    assert list(run(wg.capture)) == list(run(lambda function: function))


def test_its_tensors_may_be_kept():
    kept = []

    @wg.compiler.disable
    def keep(x):
        kept.append(x)

    def function(x):
        y = x + 1
        keep(y)
        return y * 2

    captured = wg.capture(function)
    for k in range(3):
        captured(numbers(k))
    del captured
    assert [one.shape for one in kept] == [(1,)] * 3
    assert kept[-1].tolist() == [3.0]


def test_its_errors_are_raised():
    @wg.compiler.disable
    def check(x):
        if x.item() > 2:
            raise ValueError("too large")

    counter = numbers(0)

    @wg.capture
    def function(x):
        counter.add_(1)
        check(x)
        return x

    function(numbers(1))
    function(numbers(2))
    with pytest.raises(ValueError, match="too large") as caught:
        function(numbers(3))
    assert "wengert.capture" in caught.value.__notes__[0]
    assert counter.tolist() == [2.0]
    function(numbers(1))
    assert counter.tolist() == [3.0]


def test_a_result_with_a_graph_is_refused():
    w = numbers(3).requires_grad_()

    @wg.compiler.disable
    def product(x):
        return x * w

    function = wg.capture(lambda x: wg.autograd.grad(product(x).sum(), w)[0])
    with pytest.warns(RuntimeWarning, match="has a graph"):
        assert function(numbers(2)).tolist() == [2.0]
    assert function(numbers(5)).tolist() == [5.0]
    assert wg.replay.explain(function).replays == 0


@pytest.mark.parametrize("new", [lambda a: a + 1, lambda a: (a + 1)[1:], lambda a: np.stack([a, a])[0]])
def test_a_tensor_on_a_new_array_is_a_value(new):
    numbers_read = iter(np.arange(30.0).reshape(10, 3))

    @wg.compiler.disable
    def load():
        return wg.from_numpy(new(next(numbers_read)))

    function = wg.capture(lambda x: x * load())
    for k in range(5):
        assert function(numbers(2)).tolist() == [2 * one for one in new(np.arange(3.0) + 3 * k)]
    assert wg.replay.explain(function).replays == 4


def test_a_tensor_on_an_array_that_somebody_has_is_that_in_each_replay():
    array = np.zeros(2)
    tensor = wg.from_numpy(array)

    @wg.compiler.disable
    def table(kept):
        return tensor if kept else wg.from_numpy(array)

    for kept in (True, False):
        function = wg.capture(lambda x, kept=kept: table(kept).add_(x))
        before = array.copy()
        for _ in range(4):
            function(numbers(2))
        assert (array == before + 8).all()


def test_a_python_function_may_replace_what_a_call_with_a_graph_writes_to():
    weight, held, calls = numbers(3).requires_grad_(), [numbers(0, 0)], []

    @wg.compiler.disable
    def replace():
        calls.append(None)
        if len(calls) == 7:
            held[0] = numbers(0, 0)

    def function(x):
        held[0].add_(x)
        product = weight * x
        replace()
        return product.sum()

    captured = wg.capture(function)
    for k in range(1, 11):
        result = captured(numbers(2))
        assert result.item() == 6.0
        assert held[0].tolist() == [2.0 * (k if k < 7 else k - 7)] * 2
        result = None  # and with it what its graph keeps
    assert len(calls) == 10
    assert wg.replay.explain(captured).replays >= 6


def test_an_error_of_a_python_function_in_a_call_with_a_graph_is_raised():
    weight, calls = numbers(3).requires_grad_(), []

    @wg.compiler.disable
    def count(x):
        calls.append(None)
        if len(calls) % 3 == 0:
            raise ValueError("three")
        return x * len(calls)

    captured = wg.capture(lambda x: (weight * count(x)).sum())
    for k in range(1, 10):
        if k % 3:
            assert captured(numbers(2)).item() == 6.0 * k
        else:
            with pytest.raises(ValueError, match="three"):
                captured(numbers(2))
        assert len(calls) == k
    assert wg.replay.explain(captured).replays >= 4


@pytest.mark.parametrize("by_name", [False, True])
def test_lists_and_dicts_from_outside_are_read_anew(by_name):
    group, lengths = {"rate": 1.0, "inner": {"factor": 1.0}}, [0]

    @wg.compiler.disable
    def rate(of, more):
        more.append(len(more))
        return wg.tensor(of["rate"] * of["inner"]["factor"] + len(more))

    captured = wg.capture(lambda x: x * (rate(of=group, more=lengths) if by_name else rate(group, lengths)))
    for k in range(6):
        group["rate"], group["inner"]["factor"] = float(k), 1.0 + k % 2
        assert captured(wg.ones(2))[0].item() == group["rate"] * group["inner"]["factor"] + 2 + k
        assert lengths == list(range(2 + k))
    assert wg.replay.explain(captured).replays == 4  # the function itself could read ``lengths``


def test_lists_that_the_function_makes_are_others_in_each_call():
    @wg.compiler.disable
    def add(more, given):
        more.append(1)
        return wg.tensor(float(len(more) + given.get("n", 0)))

    captured = wg.capture(lambda x, given: x * add([5], given))
    for given in ({}, {}, {"n": 3}, {"n": 3}, {}, {"n": 3}):
        expected = 2.0 + given.get("n", 0)
        assert captured(wg.ones(2), given).tolist() == [expected] * 2


@pytest.mark.parametrize("by_name", [False, True])
def test_a_list_among_the_arguments_has_the_values_of_the_call(by_name):
    @wg.compiler.disable
    def scale(x, factors):
        return x * factors[0]

    captured = wg.capture(lambda x, factors: (scale(x, factors=factors) if by_name else scale(x, factors)) + 1)
    first = [2.0]
    for factors in (first, first, [2.0]):
        assert captured(wg.ones(1), factors).item() == 3.0
    first[0] = 5.0  # which the caller of the first call still has
    for factors in ([2.0], [5.0], first, [2.0]):
        assert captured(wg.ones(1), factors).item() == factors[0] + 1
    assert wg.replay.explain(captured).replays == 5


def test_a_list_with_tensors_is_not_kept_alive():
    factor = wg.tensor(2.0)
    held = [factor, 1.0]

    @wg.compiler.disable
    def first(values):
        return values[0] * 1

    captured = wg.capture(lambda x: x * first(held))
    for _ in range(3):
        assert captured(wg.ones(1)).item() == 2.0
    gone = weakref.ref(factor)
    held[0] = wg.tensor(3.0)
    del factor
    gc.collect()
    assert gone() is None
    assert captured(wg.ones(1)).item() == 3.0
