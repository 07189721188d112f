"""FormulaTable: entries by kind, what it refuses, what the engine reads from it."""

from __future__ import annotations

import pytest
import wengert_core as wc
from wengert_core.optable.op_table import OpTable
from wengert_engine.graph.formula import Formula
from wengert_formulas import load
from wengert_formulas.table import FormulaTable
from wengert_registry import registry


def cube():
    """An op that core does not have."""
    return OpTable("test").pointwise_unary("cube(Tensor self) -> Tensor", reference=lambda xp, x: x * x * x)


def test_each_kind_makes_an_entry_of_that_kind():
    table = FormulaTable("test")
    table.elementwise("a", lambda self: self)
    table.linear("b", self=1)
    table.multilinear("c", self=1, other=1)
    table.derivative("d", self=lambda grad: grad, jvp=lambda self_t: self_t)
    table.zero("e")
    table.not_differentiable("f")
    table.not_implemented("g", "nobody knows it")
    assert [entry.kind for entry in table.entries.values()] == [
        "elementwise",
        "linear",
        "multilinear",
        "derivative",
        "zero",
        "not_differentiable",
        "not_implemented",
    ]
    assert table.entries["g"].reason == "nobody knows it"
    assert repr(table) == "<FormulaTable test: 7 formulas>"


def test_a_slope_without_a_name_is_that_of_self():
    table = FormulaTable("test")
    table.elementwise("neg", -1, node="MyNode")
    assert table.entries["neg"].inputs == {"self": -1}
    assert table.entries["neg"].node_name == "MyNode"


def test_an_op_has_one_formula():
    table = FormulaTable("test")
    table.zero("a")
    with pytest.raises(ValueError, match="table 'test' has two formulas for the op 'a'"):
        table.zero("a")


def test_a_name_that_the_schema_does_not_have_is_an_error_when_the_formula_is_read():
    table = FormulaTable("test")
    table.elementwise("cube", lambda shelf: 3 * shelf * shelf)
    expected = "the formula of 'cube' in formula table 'test' asks for 'shelf' in the rule for 'self', which its schema"
    with pytest.raises(ValueError, match=expected):
        Formula(cube(), table.entries["cube"])


def test_an_input_that_the_schema_does_not_have_is_an_error_when_the_formula_is_read():
    table = FormulaTable("test")
    table.derivative("cube", other=lambda grad: grad)
    with pytest.raises(ValueError, match="names 'other'"):
        Formula(cube(), table.entries["cube"])


def test_load_gives_the_same_table_each_time():
    assert load() is load()
    assert load().name == wc.TABLE.name


def test_the_derivative_zero_of_an_op_that_takes_a_sequence():
    table = FormulaTable("test")
    table.zero("stack")
    x, other = wc.ones(2, requires_grad=True), wc.ones(2)
    with registry.group("formulas").register("core.stack", table.entries["stack"]):
        y = wc.stack([x, other, x * 2])
        y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    assert [node is None for node, _ in y.grad_fn.next_functions] == [False, True, False]


def test_a_name_for_numbers_alone_says_that_they_have_no_edge():
    table = FormulaTable("test")
    table.derivative(
        "fmod", self=lambda grad: grad, other=lambda grad: -grad, node=lambda other: f"My{other.capitalize()}Backward"
    )
    x = wc.ones(2, requires_grad=True)
    with registry.group("formulas").register("core.fmod", table.entries["fmod"]):
        nodes = [wc.fmod(x, other).grad_fn for other in (2.0, wc.ones(2), wc.ones(2, 2))]
    assert [(node.name(), len(node.next_functions)) for node in nodes] == [
        ("MyNumberBackward", 1), ("MyTensorBackward", 2), ("MyMatrixBackward", 2)]
