"""Attributes of captured functions: the function's own are not in the way of the capture's, nor the other way round."""

from __future__ import annotations

import copy
import functools
import inspect

import pytest
import wengert as wg

explain = wg.replay.explain
NAMES = ("function", "entries", "states", "shortcut", "facts", "validate", "strict", "quiet", "replayed", "eager",
         "methods", "devices", "reasons", "full", "max_programs", "guard_python", "turn")  # fmt: skip
"""Attributes of a capture."""


class Triple(wg.nn.Module):
    """A module, with attributes of any names."""

    def forward(self, x):
        return x * 3


class Callable:
    """A callable object, with attributes of any names."""

    def __call__(self, x):
        return x * 3


def as_function():
    return lambda x: x * 3


@pytest.mark.parametrize("make", [Triple, Callable, as_function])
@pytest.mark.parametrize("name", NAMES)
def test_attributes_of_a_function_do_not_replace_those_of_its_capture(make, name):
    function = make()
    setattr(function, name, lambda *_: wg.zeros(1))
    f = wg.capture(function)
    assert [f(wg.full((1,), float(k))).item() for k in range(4)] == [0, 3, 6, 9]
    assert explain(f).replays == 3


def test_a_module_with_a_module_called_function():
    class Outer(wg.nn.Module):
        def __init__(self):
            super().__init__()
            self.function = wg.nn.Tanh()

        def forward(self, x):
            return self.function(x) * 2

    model = Outer()
    f, x = wg.capture(model), wg.ones(1)
    assert [f(x).item() for _ in range(3)] == [model(x).item()] * 3


def test_a_function_that_wraps_a_captured_one_can_be_captured():
    f = wg.capture(lambda x: x + 1)

    @functools.wraps(f)
    def hundred(x):
        return f(x) * 100

    g = wg.capture(hundred)
    assert [g(wg.ones(1)).item() for _ in range(3)] == [200] * 3
    assert explain(g).replays == 2
    assert "entries" not in vars(hundred)


def test_a_capture_of_a_capture_has_programs_and_options_of_its_own():
    inner = wg.capture(lambda x: x * 2)
    inner(wg.ones(1))
    outer = wg.capture(inner, validate=True, max_programs=3)
    assert (outer.validate, outer.max_programs, inner.validate) == (True, 3, False)
    assert explain(outer).programs == []
    assert [outer(wg.ones(1)).item() for _ in range(3)] == [2] * 3
    assert explain(outer).replays == 2


def test_attributes_of_the_function_are_read_as_they_are_now():
    model = wg.nn.Dropout(0.5)
    f = wg.capture(model)
    assert f.training
    model.eval()
    assert not f.training
    assert list(f.parameters()) == []
    with pytest.raises(AttributeError, match="nothing"):
        f.nothing  # noqa: B018


def test_names_and_what_python_knows_by_names_with_underscores_are_those_of_the_function():
    def double(x: int) -> int:
        """Double a number."""

    double.__isabstractmethod__ = True
    f = wg.capture(double)
    assert (f.__name__, f.__doc__, f.__wrapped__, f.__isabstractmethod__) == ("double", double.__doc__, double, True)
    assert inspect.signature(f) == inspect.signature(double)
    assert type(copy.deepcopy(wg.capture(Triple()))) is type(f)
