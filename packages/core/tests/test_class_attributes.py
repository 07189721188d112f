"""Functions as attributes of classes: called without the instance, unless they are Python functions in PyTorch."""

import pytest
import wengert_core as wc
from wengert_core.binding.python_functions import PYTHON_FUNCTIONS
from wengert_core.dispatch.composite import Composite


class Layer:
    """A class with functions of all kinds among its attributes."""

    unary, binary, factory, composed, words = wc.sin, wc.add, wc.zeros, wc.tile, wc.sum
    static = staticmethod(wc.exp)


class Sublayer(Layer):
    """A class that inherits them."""


@pytest.mark.parametrize("make", [Layer, Sublayer])
def test_the_instance_is_no_argument(make: type[Layer]) -> None:
    x = wc.tensor([1.0, 2.0])
    layer = make()
    assert layer.unary(x).tolist() == wc.sin(x).tolist()
    assert layer.binary(x, 2, alpha=3).tolist() == [7, 8]
    assert layer.factory(2, 3).shape == (2, 3)
    assert layer.composed(x, (2,)).tolist() == [1, 2, 1, 2]
    assert layer.words(x, dim=0).item() == 3
    assert layer.static(x).tolist() == wc.exp(x).tolist()


def test_errors_are_those_of_the_call_without_the_instance() -> None:
    with pytest.raises(TypeError, match=r"sin\(\) missing 1 required positional arguments"):
        Layer().unary()
    with pytest.raises(TypeError, match=r"add\(\): argument 'other' \(position 2\) must be"):
        Layer().binary(wc.ones(2), "x")


def test_methods_of_tensors_get_the_tensor() -> None:
    class Wave(wc.Tensor):
        """A subclass that has a function under another name."""

        wave = wc.sin

    x = wc.tensor([1.0]).as_subclass(Wave)
    assert x.wave().item() == x.sin().item() == wc.sin(wc.tensor(1.0)).item()


def test_an_instance_that_knows_nothing_of_the_function_is_an_argument() -> None:
    with pytest.raises(TypeError, match="must be Tensor, not object"):
        wc.sin(object())


def test_python_functions_are_methods() -> None:
    class Wrapper:
        """Has a function that PyTorch writes in Python."""

        size = wc.norm

    with pytest.raises((TypeError, AttributeError)):
        Wrapper().size(wc.ones(2))


def test_names_of_python_functions_are_those_of_composites() -> None:
    table = {value.public_name for value in wc.TABLE.ops.values() if isinstance(value, Composite)}
    assert sorted(PYTHON_FUNCTIONS - table) == []
