"""wengert.jit beside what PyTorch 2.13 does: which calls it takes, which it refuses and with what exception."""

import typing

import pytest
import wengert as wg


def double(x):
    return 2 * x


class Scale:
    def __call__(self, x):
        return 3 * x


def test_script_returns_a_function():
    assert wg.jit.script(double) is double
    assert wg.jit.script(obj=double) is double
    assert wg.jit.script(wg.jit.script(double)) is double
    assert wg.jit.script(double, example_inputs=[(wg.ones(1),)]) is double


def test_script_returns_a_class_and_an_object_that_can_be_called():
    scale = Scale()
    assert wg.jit.script(Scale) is Scale
    assert wg.jit.script(scale) is scale


@pytest.mark.parametrize("values", [[1], {"a": 1}], ids=["list", "dict"])
def test_script_takes_lists_and_dicts(values):
    assert wg.jit.script(values) is values


@pytest.mark.parametrize("wrong", [3, None, "double", wg.ones(2)], ids=["int", "None", "str", "Tensor"])
def test_script_refuses_what_is_no_function(wrong):
    with pytest.raises(TypeError, match="script"):
        wg.jit.script(wrong)


@pytest.mark.parametrize("inputs", [wg.ones(2), (wg.ones(2),), [wg.ones(2)]], ids=["tensor", "tuple", "list"])
def test_trace_returns_the_function(inputs):
    assert wg.jit.trace(double, inputs) is double
    assert wg.jit.trace(double, inputs, check_trace=False, strict=False, check_tolerance=1e-3) is double


def test_trace_takes_inputs_by_keyword():
    assert wg.jit.trace(double, example_kwarg_inputs={"x": wg.ones(2)}) is double


def test_trace_does_not_call_the_function():
    def fail(x):
        raise AssertionError

    assert wg.jit.trace(fail, wg.ones(2)) is fail


def test_trace_needs_inputs():
    with pytest.raises(TypeError, match="example_inputs"):
        wg.jit.trace(double)


def test_trace_refuses_what_is_no_function():
    with pytest.raises(RuntimeError, match="int"):
        wg.jit.trace(3, wg.ones(2))


def test_trace_refuses_arguments_that_do_not_exist():
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        wg.jit.trace(double, wg.ones(2), foo=1)


def test_a_traced_function_is_differentiated():
    x = wg.ones(2, requires_grad=True)
    wg.jit.trace(double, (wg.ones(2),))(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("decorator", [
    lambda f: wg.jit.ignore(f), lambda f: wg.jit.ignore()(f), lambda f: wg.jit.ignore(drop=True)(f),
    lambda f: wg.jit.ignore(drop=False)(f), lambda f: wg.jit.ignore(True)(f),
    lambda f: wg.jit.ignore(drop_on_export=True)(f), lambda f: wg.jit.unused(f), lambda f: wg.jit.export(f),
    lambda f: wg.jit.script_if_tracing(f),
])  # fmt: skip
def test_decorators_return_the_function(decorator):
    assert decorator(double) is double


def test_unused_takes_a_property():
    size = property(lambda self: 3)
    assert wg.jit.unused(size) is size


@pytest.mark.parametrize("wrong", [3, "a"])
def test_ignore_takes_a_function_or_a_bool(wrong):
    with pytest.raises(RuntimeError, match=f"must be a bool or a function but got {wrong}"):
        wg.jit.ignore(wrong)


@pytest.mark.parametrize("decorator", [
    lambda f: wg.jit.ignore(drop=False)(f), lambda f: wg.jit.export(f), lambda f: wg.jit.unused(f),
])  # fmt: skip
def test_decorators_refuse_what_is_no_function(decorator):
    with pytest.raises(AttributeError, match="int"):
        decorator(3)


def test_nothing_is_scripting_or_tracing():
    assert wg.jit.is_scripting() is False
    assert wg.jit.is_tracing() is False
    with pytest.raises(TypeError, match="positional argument"):
        wg.jit.is_scripting(3)


def test_names_of_types():
    values = [1]
    assert wg.jit.annotate(list[int], values) is values
    assert wg.jit.Final is typing.Final
