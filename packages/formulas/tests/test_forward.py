"""Forward evaluation by kind. That it agrees with reverse mode is tested for every op in tests/ops."""

from __future__ import annotations

import pytest
import wengert_core as wc
from wengert_formulas import load
from wengert_formulas.forward import jvp
from wengert_formulas.table import FormulaTable

OPS = wc.TABLE.ops


def forward(name, arguments, tangents, **words):
    return jvp(OPS[name], arguments, tangents, entry=load().entries[OPS[name].name], **words)


def test_elementwise_sums_the_parts_of_the_inputs_that_have_tangents():
    x, y = wc.tensor([1.0, 2.0]), wc.tensor([3.0, 4.0])
    assert forward("mul", [x, y], [x, None])[0].tolist() == [3, 8]
    assert forward("mul", [x, y], [x, y])[0].tolist() == [6, 16]


def test_a_tangent_has_the_results_shape_and_dtype():
    tangent = forward("add", [wc.tensor([1.0]), wc.zeros(2, 3, dtype=wc.float64)], [wc.tensor([5.0]), None])[0]
    assert tangent.tolist() == [[5, 5, 5], [5, 5, 5]]
    assert tangent.dtype is wc.float64


def test_a_slope_of_truth_values_chooses():
    tangent = forward("clamp", [wc.tensor([0.5, 2.0]), 0.0, 1.0], [wc.tensor([3.0, float("inf")])])[0]
    assert tangent.tolist() == [3, 0]


def test_linear_runs_the_op_on_the_tangents():
    x = wc.ones(2, 3)
    assert forward("sum", [x, 1, True], [x * 2])[0].tolist() == [[6], [6]]
    assert forward("cat", [[x, x], 0], [[None, x], None])[0].tolist() == [[0, 0, 0]] * 2 + [[1, 1, 1]] * 2


def test_multilinear_puts_in_one_tangent_at_a_time():
    a, b = wc.tensor([[1.0, 2.0]]), wc.tensor([[3.0], [4.0]])
    assert forward("mm", [a, b], [a, b])[0].tolist() == [[22]]
    assert forward("mm", [a, b], [None, b])[0].tolist() == [[11]]


def test_outputs_that_are_given_are_not_computed_again():
    wrong = wc.tensor([7.0])
    assert forward("exp", [wc.tensor([0.0])], [wc.tensor([2.0])], outputs=(wrong,))[0].tolist() == [14]


def test_an_output_of_integers_has_no_tangent():
    values, indices = forward("sort", [wc.tensor([3.0, 1.0, 2.0])], [wc.tensor([30.0, 10.0, 20.0])])
    assert values.tolist() == [10, 20, 30]
    assert indices is None


def test_the_tangent_of_a_zero_op_is_zero_and_of_a_comparison_none():
    x = wc.tensor([1.5])
    assert forward("floor", [x], [x])[0].tolist() == [0]
    assert forward("lt", [x, x], [x, None]) == (None,)


def test_an_in_place_op_has_the_formula_of_its_op():
    x = wc.tensor([2.0])
    assert (
        forward("mul", [x, 3.0], [wc.tensor([1.0])])[0].tolist()
        == jvp(OPS["mul_"], [x, 3.0], [wc.tensor([1.0])], entry=load().entries["mul"])[0].tolist()
        == [3]
    )


def test_a_formula_without_a_forward_rule_says_so():
    table = FormulaTable("test")
    table.derivative("exp", self=lambda grad, result: grad * result)
    with pytest.raises(RuntimeError, match="the forward derivative for 'exp' is not implemented"):
        jvp(OPS["exp"], [wc.ones(1)], [wc.ones(1)], entry=table.entries["exp"])


def test_what_is_not_implemented_says_so():
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        forward("floor_divide", [wc.ones(1), wc.ones(1)], [wc.ones(1), None])
