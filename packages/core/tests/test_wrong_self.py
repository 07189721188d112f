"""Another object where a method or an attribute means its own: all say so before anything runs, with torch's TypeError.

torch 2.13 was asked, of every class below, with None, 3 and []: TypeError "descriptor 'tile' for 'torch._C.TensorBase'
objects doesn't apply to a 'list' object"; of dunder methods "descriptor '__repr__' requires a 'torch.device' object but
received a 'int'".
"""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.binding.checked_methods import Method, checked
from wengert_core.dispatch.composite import Composite
from wengert_core.dispatch.op import Op

X = wc.tensor([1.0, 4.0, 9.0])
WRONG = [None, -1, [], "x", object(), np.ones(2)]
CLASSES = [wc.Tensor, wc.Generator, wc.device, wc.layout, wc.memory_format, wc.finfo, wc.iinfo, wc.Size]
OTHERS = {"__new__", "__dict__", "__weakref__"}  # Python's, with texts of its own


def members(cls: type) -> list[tuple[str, Any]]:
    """Return the members that a class has of its own, by name; what its first use loads is loaded."""
    for name in dir(cls):
        getattr(cls, name, None)
    return [(name, value) for name, value in vars(cls).items() if name not in OTHERS]


def is_method(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, staticmethod, classmethod))


METHODS = [(cls, name) for cls in CLASSES for name, value in members(cls) if is_method(value)]
ATTRIBUTES = [(cls, name) for cls in CLASSES for name, value in members(cls)
              if hasattr(value, "__set__") and not callable(value)]  # fmt: skip


def refusal(call: Any, *args: Any) -> str:
    with pytest.raises(TypeError) as caught:
        call(*args)
    return str(caught.value)


@pytest.mark.parametrize(("cls", "name"), METHODS, ids=lambda value: getattr(value, "__name__", value))
def test_a_method_refuses_another_self(cls, name):
    method = getattr(cls, name)
    names = {name, getattr(method, "__name__", name)}  # divide is div
    for wrong in WRONG:
        text = refusal(method, wrong)
        assert any(one in text for one in names), text
        if isinstance(method, Method):  # before it looks at anything else
            for rest in ((), (2,), (X,), (None, None), ((2,), "x", {})):
                text = refusal(method, wrong, *rest)
                assert f"descriptor '{name}' for '" in text
                assert f"{cls.__name__}' objects doesn't apply to a '" in text
                assert text.endswith(f"{type(wrong).__name__}' object")


@pytest.mark.parametrize(("cls", "name"), ATTRIBUTES, ids=lambda value: getattr(value, "__name__", value))
def test_an_attribute_refuses_another_self(cls, name):
    attribute = vars(cls)[name]
    for wrong in WRONG[1:]:  # None is how Python asks for the attribute itself
        assert f"'{name}'" in refusal(attribute.__get__, wrong)
        assert f"'{name}'" in refusal(attribute.__get__, wrong, cls)
    for wrong in WRONG:
        with pytest.raises((TypeError, AttributeError), match=f"'{name}'"):  # or it is not writable at all
            attribute.__set__(wrong, 1)
        with pytest.raises((TypeError, AttributeError), match=f"'{name}'"):
            attribute.__delete__(wrong)


def test_there_are_methods_and_attributes_of_each_class():
    assert len(METHODS) > 500
    assert len(ATTRIBUTES) > 30
    assert {cls for cls, _ in METHODS} == {*CLASSES}


def test_no_method_of_a_tensor_is_a_bare_function():
    kinds = (Method, Op, Composite, type(list.append), type(int.__add__), type(vars(wc.Tensor)["shape"]))
    bare = [name for name, value in members(wc.Tensor) if callable(value) and not isinstance(value, (*kinds, type))]
    assert [name for name in bare if not isinstance(vars(wc.Tensor).get(name), staticmethod)] == []


def test_a_method_is_needed_an_argument():
    with pytest.raises(TypeError, match=r"unbound method .*Tensor\.tile\(\) needs an argument"):
        wc.Tensor.tile()
    with pytest.raises(TypeError, match=r"unbound method .*Tensor\.tile\(\) needs an argument"):
        wc.Tensor.tile(self=X, dims=(2,))


def test_a_checked_method_is_a_function_otherwise():
    assert wc.Tensor.tile(X, 2).tolist() == X.tile(2).tolist() == [1.0, 4.0, 9.0] * 2
    assert X.tile(dims=(2,)).tolist() == [1.0, 4.0, 9.0] * 2
    assert wc.Tensor.tile.__name__ == X.tile.__name__ == "tile"
    assert wc.Tensor.tile.__qualname__ == "Tensor.tile"
    assert "dims" in inspect.signature(wc.Tensor.tile).parameters
    assert list(inspect.signature(X.tile).parameters)[-1] == "dims"
    assert "\n\nRepeat" in wc.Tensor.tile.__doc__
    assert pickle.loads(pickle.dumps(wc.Tensor.tile)) is wc.Tensor.tile
    assert copy.deepcopy(wc.Tensor.tile) is wc.Tensor.tile
    assert inspect.isroutine(wc.Tensor.tile)


class Subclass(wc.Tensor):
    def tile(self, *counts):
        return super().tile(*counts) + 1

    @property
    def is_cpu(self):
        return super().is_cpu, "named"


def test_a_subclass_overrides_methods_and_attributes():
    named = X.as_subclass(Subclass)
    assert named.tile(1).tolist() == [2.0, 5.0, 10.0]
    assert named.is_cpu == (True, "named")
    assert wc.Tensor.tile(named, 1).tolist() == [1.0, 4.0, 9.0]


def test_attributes_that_cannot_be_written():
    for name in ("T", "is_cpu", "itemsize"):  # torch: AttributeError, and these words
        with pytest.raises(AttributeError, match=f"attribute '{name}' of '.*Tensor' objects is not writable"):
            setattr(X.clone(), name, 1)
        with pytest.raises(AttributeError, match=f"attribute '{name}' of '.*Tensor' objects is not writable"):
            delattr(X.clone(), name)
    with pytest.raises(AttributeError, match=r"attribute 'real' of '.*Tensor' objects cannot be deleted"):
        del X.clone().real


def test_methods_of_a_class_in_python_are_checked():
    @checked
    class Pair:
        def __init__(self, a):
            self.a = a

        def twice(self):
            return 2 * self.a

        @property
        def half(self):
            return self.a / 2

        @staticmethod
        def of(a):
            return Pair(a)

    pair = Pair.of(3)
    assert (pair.twice(), pair.half, Pair.twice(pair)) == (6, 1.5, 6)
    assert "descriptor 'twice' for 'Pair' objects" in refusal(Pair.twice, 3)
    assert "descriptor '__init__' for 'Pair' objects" in refusal(Pair.__init__, 3, 4)
    assert "descriptor 'half' for 'Pair' objects" in refusal(Pair.half.__get__, 3)


def test_errors_of_what_a_method_calls_are_not_touched():
    def fail(value):
        raise TypeError("'NoneType' object is not iterable")

    with pytest.raises(TypeError, match=r"^'NoneType' object is not iterable$"):
        X.clone().apply_(fail)
    assert wc.Tensor.apply_.__name__ in refusal(X.clone().apply_, 3)


@pytest.mark.parametrize("make", [
    lambda: wc.device.__new__(wc.device), lambda: wc.finfo.__new__(wc.finfo, 3), lambda: wc.iinfo.__new__(wc.iinfo),
    lambda: wc.memory_format("contiguous_format"), lambda: wc.layout(),
])  # fmt: skip
def test_there_are_no_objects_that_are_half_made(make):
    with pytest.raises(TypeError):
        make()


def test_a_generator_is_whole_once_it_is_made():
    assert isinstance(wc.Generator.__new__(wc.Generator).seed(), int)  # as torch's
