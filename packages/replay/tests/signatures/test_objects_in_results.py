"""Objects in results: named tuples with a class of their own, objects that calls make anew, attributes of tensors."""

from __future__ import annotations

import collections
import dataclasses
import enum
import fractions
import math
import types
import typing

import pytest
import wengert as wg

explain = wg.replay.explain


class UnitParts(typing.NamedTuple):
    """The parts of a named tuple."""

    value: object
    k: object


class SumParts(typing.NamedTuple):
    """The part of a named tuple."""

    value: object


class Unit(UnitParts):
    """A named tuple that is made in a way of its own."""

    def __new__(cls, value, k):
        return super().__new__(cls, value * 10, k)


class Sum(SumParts):
    """A named tuple that is made of other arguments than it has parts."""

    def __new__(cls, a, b):
        return super().__new__(cls, a + b)


class WithNote(SumParts):
    """A named tuple that may have attributes."""


@pytest.mark.parametrize(("function", "value"), [
    (lambda x: Unit(x, 2), 10), (lambda x: Sum(x, x), 2), (lambda x: {"a": [Unit(x * 2, Unit(x, 1))]}["a"][0], 20),
])  # fmt: skip
def test_a_named_tuple_is_made_as_in_the_recording(function, value):
    f = wg.capture(function)
    found = [f(wg.ones(())) for _ in range(4)]
    assert [type(one) for one in found] == [type(found[0])] * 4
    assert [one.value.item() for one in found] == [value] * 4
    assert explain(f).replays == 3


@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_named_tuple_among_the_arguments_is_made_as_it_was(requires_grad):
    w = wg.ones(2, requires_grad=requires_grad)
    f = wg.capture(lambda u: (u.value * 2).sum())
    for _ in range(4):
        x = wg.ones(2, requires_grad=True)
        loss = f(Unit(x * w, 2))
        loss.backward()
        assert (loss.item(), x.grad.tolist()) == (40, [20, 20])


def test_a_named_tuple_with_attributes_lets_the_function_run_as_usual():
    def with_note(x):
        made = WithNote(x * 1)
        made.note = "a"
        return made

    f = wg.capture(with_note, quiet=True)
    assert [f(wg.ones(())).note for _ in range(4)] == ["a"] * 4
    g = wg.capture(lambda u: u.value * (2 if u.note == "a" else 3), quiet=True)
    assert [g(with_note(wg.ones(()))).item() for _ in range(4)] == [2] * 4


class Equal:
    """An object with a hash that may change."""

    def __init__(self):
        self.count = 0

    def __eq__(self, other):
        return type(other) is Equal

    def __hash__(self):
        return 1


@dataclasses.dataclass(unsafe_hash=True)
class Counter:
    """A dataclass with a hash that may change."""

    count: int = 0


class Word(str):
    """A string with attributes."""

    count = 0


class Slots:
    """An object with a hash and no dict."""

    __slots__ = ("count",)

    def __init__(self):
        self.count = 0

    def __eq__(self, other):
        return type(other) is Slots

    def __hash__(self):
        return 1


def inner_function():
    def count():
        count.count += 1

    count.count = 0
    return count


def inner_class():
    return type("Inner", (), {"count": 0})


class Plain:
    """An object that is equal to itself alone, with a method."""

    count = 0

    def method(self):
        """Count."""


OBJECTS = {
    "an inner function": inner_function, "a lambda": lambda: types.SimpleNamespace(of=lambda: 0).of,
    "an inner class": inner_class, "an object with a hash": Equal, "a dataclass with a hash": Counter,
    "a string with attributes": lambda: Word("a"), "slots": Slots,
}  # fmt: skip


@pytest.mark.parametrize("has_graph", [False, True])
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_objects_that_each_call_makes_are_its_own(make, has_graph):
    def count(one):
        one.count = getattr(one, "count", 0) + 1
        return one.count

    w = wg.ones(1, requires_grad=has_graph)
    f = wg.capture(lambda x: (x * w, [make()]), quiet=True)
    assert [count(f(wg.ones(1))[1][0]) for _ in range(8)] == [1] * 8
    assert explain(f).replays == 0
    assert "which each call may make anew" in "".join(explain(f).reasons)


@pytest.mark.parametrize("make", [lambda: [].append, lambda: Plain().method, lambda: Plain()])
def test_methods_of_objects_that_each_call_makes_are_its_own(make):
    w = wg.ones(1, requires_grad=True)
    for function in (lambda x: (x * 2, make()), lambda x: (x * w, make())):
        f = wg.capture(function, quiet=True)
        found = [f(wg.ones(1))[1] for _ in range(6)]
        assert len({id(getattr(one, "__self__", one)) for one in found}) == 6
        assert explain(f).replays == 0


class Mode(enum.Enum):
    """A mode."""

    ON = 1


@dataclasses.dataclass(frozen=True)
class Constant:
    """A dataclass that does not change."""

    k: int = 1


@pytest.mark.parametrize("value", [
    math.sin, len, dict, Mode, Mode.ON, Constant(), Constant, fractions.Fraction(1, 3), wg.float32, inner_class,
    (1, "a"), dict.fromkeys, range(3), frozenset([1]),
])  # fmt: skip
def test_what_does_not_change_may_be_in_results(value):
    f = wg.capture(lambda x: (x * 2, value))
    assert [f(wg.ones(1))[1] == value for _ in range(4)] == [True] * 4
    assert explain(f).replays == 3


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_an_object_that_was_there_before_takes_one_more_recording(make):
    value = make()
    f = wg.capture(lambda x: (x * 2, value), quiet=True)
    assert [f(wg.ones(1))[1] is value for _ in range(5)] == [True] * 5
    assert explain(f).replays == 3


def test_an_object_among_the_arguments_may_be_in_results():
    f, value = wg.capture(lambda x, one: (x * 2, one)), Equal()
    assert [f(wg.ones(1), value)[1] is value for _ in range(4)] == [True] * 4
    assert explain(f).replays == 3


@pytest.mark.parametrize("value", [[1], {"a": 1}, collections.OrderedDict(a=1)])
@pytest.mark.parametrize("has_graph", [False, True])
def test_a_list_or_dict_that_was_there_before_is_the_same_in_each_call(value, has_graph):
    w = wg.ones(1, requires_grad=has_graph)
    f = wg.capture(lambda x: (x * w, value), quiet=True)
    assert [f(wg.ones(1))[1] is value for _ in range(7)] == [True] * 7
    assert "has from outside" in "".join(explain(f).reasons)


def test_a_list_that_the_function_stores_is_the_one_that_it_returns():
    kept = {}

    def function(x):
        kept["last"] = found = [x * 1]
        return found

    f = wg.capture(function, quiet=True)
    assert [f(wg.ones(1)) is kept["last"] for _ in range(7)] == [True] * 7


def test_lists_that_each_call_makes_are_replayed():
    def walk(x):
        found = []

        def add(depth):  # a cycle that has the list
            found.append(x * depth)
            return add(depth - 1) if depth else found

        return {"a": add(3), "b": [[], []]}

    f = wg.capture(walk)
    for k in range(4):
        made = f(wg.full((1,), float(k)))
        assert [one.item() for one in made["a"]] == [3 * k, 2 * k, k, 0]
    assert explain(f).replays == 3


@pytest.mark.parametrize("make", [lambda x: [x], lambda x: {"x": x}, lambda x: ([x * 2],)[0]])
def test_a_list_or_dict_that_is_in_a_result_twice_is_one_object(make):
    def function(x):
        found = make(x * 1)
        return found, [found]

    f = wg.capture(function, quiet=True)
    for _ in range(4):
        first, second = f(wg.ones(1))
        assert first is second[0]
    assert "twice" in "".join(explain(f).reasons)


def sets_on_argument(x):
    x.note = 7
    return x * 2


def sets_on_result(x):
    y = x * 2
    y.note = 7
    return y


@pytest.mark.parametrize("function", [sets_on_argument, sets_on_result])
@pytest.mark.parametrize("has_graph", [False, True])
def test_attributes_that_a_function_sets_on_tensors_are_there_after_each_call(function, has_graph):
    w = wg.ones(2, requires_grad=has_graph)

    def multiply(x):
        return function(x * 1 * w) if function is sets_on_result else function(x) * w

    f, plain = wg.capture(multiply, quiet=True), wg.capture(function, quiet=True)
    for _ in range(7):
        x = wg.ones(2)
        for y in (f(x), plain(x)):
            assert getattr(y if function is sets_on_result else x, "note", None) == 7
    assert "attribute of Python" in "".join(explain(f).reasons)


def test_attributes_that_tensors_have_before_and_keep_are_no_reason():
    def function(x):
        return x * 2, x

    f = wg.capture(function)
    for _ in range(4):
        x = wg.ones(2)
        x.note = 7
        assert f(x)[1].note == 7
    assert explain(f).replays == 3
