"""Function modes beyond the recorded answers (function_modes.txt): threads, gradients inside, and the engine."""

import threading

import pytest
import wengert as wg


class Names(wg.overrides.TorchFunctionMode):
    """Notes the functions that are called."""

    def __init__(self):
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_a_mode_is_its_threads_alone():
    other = []
    with Names() as seen:
        thread = threading.Thread(target=lambda: other.append(wg.ones(2) + 1))
        thread.start()
        thread.join()
    assert seen.names == []
    assert other[0].tolist() == [2.0, 2.0]


def test_formulas_and_rules_are_none_of_the_programs_calls():
    x = wg.ones(3, requires_grad=True)
    y = x.exp().log().sum()
    with Names() as seen:
        y.backward()
        wg.vmap(wg.sin)(x.detach())
    assert seen.names[0] == "backward"
    assert {"exp", "mul", "div", "reciprocal", "expand"} & set(seen.names) == set()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_mode_without_the_method_says_so():
    mode = type("Incomplete", (wg.overrides.TorchFunctionMode,), {})()
    with pytest.raises(NotImplementedError, match="Incomplete does not define __torch_function__"), mode:
        wg.ones(1)


def test_calls_after_the_block_are_nobodys():
    with Names() as seen:
        pass
    x = wg.ones(2)
    assert (x + 1).sum().item() == 4.0
    assert x.shape == (2,)
    assert seen.names == []


def test_an_attribute_that_is_set_is_a_call():
    x = wg.ones(2)
    with Names() as seen:
        x.requires_grad = True
        x.grad = None
    assert seen.names == ["__set__", "__set__"]
    assert x.requires_grad


def test_arguments_of_other_classes_are_asked_after_a_mode_without_an_answer():
    class Silent(wg.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    class Quantity:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    x = wg.ones(1)
    with Silent():
        assert wg.add(x, Quantity()) == "add"
