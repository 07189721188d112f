"""The tables are whole: every op has a formula that fits its schema, a sample row and a line of documentation."""

from __future__ import annotations

import functools

import pytest
import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_core.dispatch.op_docs import entry_of
from wengert_engine.graph.formula import bind
from wengert_formulas import load
from wengert_testing.samples import CASES

OPS = dict(wc.TABLE.ops)
PRIMITIVES = {name: op for name, op in OPS.items() if isinstance(op, Op) and op.family != "composite"}
OF_ATTRIBUTES = {
    "real": "an attribute of Tensor too: property() takes the docstring of its function",
    "imag": "an attribute of Tensor too: property() takes the docstring of its function",
}
ALIASES = {name: op for name, op in OPS.items() if isinstance(op, functools.partial)}


def entry_name(op):
    """The name under which an op's formula stands: its own, or that of the op it is a variant of."""
    own = load().entries
    return op.name if op.name in own or op.out_of_place is None else op.out_of_place.name


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_every_primitive_has_a_formula_that_fits_its_schema(name):
    op = PRIMITIVES[name]
    assert entry_name(op) in load().entries, f"no formula for {op.schema}"
    assert bind(op) is not None


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_every_differentiable_primitive_has_a_forward_rule(name):
    entry = load().entries[entry_name(PRIMITIVES[name])]
    assert entry.kind != "derivative" or entry.jvp is not None, f"{entry} has no jvp"


def test_every_formula_belongs_to_an_op():
    assert set(load().entries) - {op.name for op in PRIMITIVES.values()} == set()


def test_every_op_has_a_sample():
    variants = {name for name, op in OPS.items() if name.endswith("_") and name[:-1] in OPS}
    assert set(OPS) - {case.op for case in CASES} - variants - set(ALIASES) == set()


def test_every_sample_belongs_to_an_op():
    assert {case.op for case in CASES} - set(OPS) - set(wc.TABLE.methods) == set()


def test_an_alias_is_another_op_of_the_table():
    assert [name for name, alias in ALIASES.items() if alias.func not in OPS.values()] == []


def own_text(op):
    """The text that the source of a row gives it."""
    return op.doc if isinstance(op, Op) else getattr(op, "function", op).__doc__ or ""


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_says_what_it_does(name):
    op = OPS[name]
    entry = entry_of(op) or entry_of(getattr(op, "out_of_place", None))
    line = own_text(op) if entry is None else entry.sentence
    assert len(line.split("\n")[0]) > 3, f"{name} has no documentation"


def test_an_op_with_a_documentation_entry_has_no_other_text():
    assert {name for name, op in OPS.items() if entry_of(op) and own_text(op)} == set(OF_ATTRIBUTES)


def test_what_is_not_differentiable_is_not_recorded():
    table = load().entries
    silent = {name for name, entry in table.items() if entry.kind == "not_differentiable"}
    recorded = {op.name for op in PRIMITIVES.values() if op.differentiable and op.out_of_place is None}
    assert silent & recorded == set()


def test_a_case_without_oracle_or_gradient_says_why():
    assert [str(case) for case in CASES if case.oracle is None and not case.note] == []
