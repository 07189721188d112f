"""The checks find what is wrong: each is run on an op that is wrong in one way."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we
from wengert_registry import registry
from wengert_testing import calls, gradients, values
from wengert_testing.case import OpCase, T
from wengert_testing.gradients import Program
from wengert_testing.tolerance import assert_close


@pytest.fixture(scope="module", autouse=True)
def formulas():
    group = registry.group("formulas")
    if group.find("core") is not None:
        yield
        return
    from wengert_formulas import load

    with group.register("core", load(), owner="shared/testing/tests"):
        yield


def case(oracle=np.exp, op="exp", **settings):
    return OpCase(op, oracle, [(T(3),), (T(2, 2),)], **settings)


def first(row, dtype="float64"):
    return next(iter(row.samples(dtype)))


class Wrong(we.Function):
    """exp with the slope of its square."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y * 2


class FirstOnly(we.Function):
    """exp whose derivative forgets that it depends on the input."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y.detach()


def test_samples_are_the_same_each_time_and_have_no_equal_numbers():
    row = OpCase("exp", np.exp, [(T(50),)], kinks=(0.0,))
    a, b = first(row).args[0], first(row).args[0]
    np.testing.assert_array_equal(a, b)
    assert len(np.unique(a)) == 50
    assert np.abs(a).min() >= 0.05


def test_a_wrong_value_is_found():
    with pytest.raises(AssertionError, match=r"exp\(float64\[3\]\): result: 3 of 3 elements differ"):
        values.check_value(case(np.sin), first(case()))


def test_a_wrong_shape_is_found():
    with pytest.raises(AssertionError, match=r"shape \[3\], expected \[1, 3\]"):
        values.check_value(case(lambda x: np.exp(x)[None]), first(case()))


def test_a_wrong_gradient_is_found():
    program = Program(case(), first(case()))
    program.function = Wrong.apply
    with pytest.raises(AssertionError, match="gradient of input 0"):
        gradients.check_reverse(program)


def test_a_wrong_second_derivative_is_found():
    program = Program(case(), first(case()))
    program.function = FirstOnly.apply
    gradients.check_reverse(program)
    with pytest.raises(AssertionError, match="second derivative"):
        gradients.check_second(program)


def test_a_forward_rule_that_differs_from_reverse_is_found():
    from wengert_formulas.table import FormulaTable

    table = FormulaTable("core")
    table.derivative("exp", self=lambda grad, result: grad * result, jvp=lambda self_t, result: self_t)
    with (
        registry.group("formulas").register("core.exp", table.entries["exp"], owner="a test"),
        pytest.raises(AssertionError, match="forward against reverse"),
    ):
        gradients.check_forward(Program(case(), first(case())))


def test_complex_gradients_are_checked_in_both_directions():
    row = case(complex=True)
    gradients.check_gradients(row, first(row, "complex128"))
    program = Program(row, first(row, "complex128"))
    program.function = lambda z: z.exp() + z.conj().detach() * 0 + 1j * (z.conj() - z.conj().detach()) * 0
    gradients.check_reverse(program)


def test_strided_inputs_have_gaps_and_the_same_elements():
    array = np.arange(6.0).reshape(2, 3)
    tensor = calls.strided_copy(array)
    assert not tensor.is_contiguous()
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_integers_must_be_equal_and_nan_equals_nan():
    assert_close(np.array([1, 2]), np.array([1, 2]), "integers")
    assert_close(np.array([np.nan]), np.array([np.nan]), "NaN")
    with pytest.raises(AssertionError, match="1 of 2 elements differ by more than rtol 0"):
        assert_close(np.array([1, 2]), np.array([1, 3]), "integers")


def test_a_dtype_has_its_own_tolerance():
    assert_close(np.float32(1 + 1e-6), np.float64(1), "float32")
    with pytest.raises(AssertionError, match="float64"):
        assert_close(np.float64(1 + 1e-6), np.float64(1), "float64")


def test_every_dtype_of_the_row_is_tried():
    assert "bfloat16" in values.dtypes_of(case())
    assert values.dtypes_of(case(dtypes=("float16",))) == ("float16",)
    values.check_dtypes(case())
    with pytest.raises(AssertionError, match="exp"):
        values.check_dtypes(case(np.expm1))


def test_core_is_what_is_tested():
    assert calls.op_of(case()) is wc.TABLE.ops["exp"]
    assert calls.op_of(case(op="square")) is None
