"""Formulas that cannot be right for their op are refused when the two meet, or when they have run."""

from itertools import count

import numpy as np
import pytest
import wengert as wg
from wengert_core import TABLE as TABLE_OF_CORE
from wengert_core.messages.owners import formulas_of, table_of
from wengert_core.optable.op_table import OpTable
from wengert_engine.graph.formula_checks import check_entry
from wengert_formulas.table import FormulaTable
from wengert_registry import registry

OPS, FORMULAS = registry.group("ops"), registry.group("formulas")
SUM = "af_sum(Tensor self, Tensor other, Scalar n=1) -> Tensor"
PAIR = "af_pair(Tensor self, int dim) -> (Tensor values, Tensor places)"
CAT = "af_cat(Tensor[] tensors) -> Tensor"


def ops(name):
    """A table with an op of one output, one of two, and one of a list of tensors."""
    table = OpTable(name)
    table.array(SUM, reference=lambda xp, x, y, n: x + y)
    table.along(PAIR, results=["same", "int64"], reference=lambda xp, x, dim: (x.max(dim), x.argmax(dim)))
    table.array(CAT, reference=lambda xp, arrays: xp.concatenate(arrays))
    table.reduction(
        "af_reduce(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
        kind="sum",
        reference=lambda xp, x, axes, keepdims: x.sum(axes, keepdims=keepdims),
    )
    return table


TABLE = ops("acme_f")


COUNT = count()


def by(kind, **settings):
    """Return a function that writes a formula of this kind into a table."""
    return lambda table, op: getattr(table, kind)(op, **settings)


def zero(grad):
    return grad * 0


def with_star(*arguments):
    return arguments


def with_words(grad, **words):
    return grad


def only_word(*, grad):
    return grad


def thirteen(
    grad, grads, needs, self, other, n, result, self_shape, self_dtype, self_geometry, other_shape, other_dtype, n_dtype
):
    return grad


def branches(self_t, n):
    if n > 1:
        return self_t, self_t
    return self_t


WRONG = {
    # word: (op, how its formula is written, what the message says)
    "elementwise for two outputs": (
        "af_pair",
        by("elementwise", self=lambda self: 1),
        "one output; the op has 2: values, places",
    ),
    "elementwise for a sum": ("af_reduce", by("elementwise", self=lambda self: 1), "family 'reduction'"),
    "an argument that is not there": ("af_sum", by("derivative", third=zero), "names 'third'"),
    "a misspelt setting": ("af_sum", by("derivative", self=zero, jpv=zero), "names 'jpv'"),
    "a parameter that is not there": ("af_sum", by("derivative", self=lambda grad, shelf: grad), "asks for 'shelf'"),
    "a fact that is not there": ("af_sum", by("derivative", self=lambda grad, self_size: grad), "asks for 'self_size'"),
    "an output that is not there": ("af_pair", by("derivative", self=lambda grad, value: grad), "asks for 'value'"),
    "a tangent in reverse": ("af_sum", by("derivative", self=lambda grad, self_t: grad), "asks for 'self_t'"),
    "a gradient in forward": ("af_sum", by("derivative", self=zero, jvp=lambda grad: grad), "asks for 'grad' in jvp"),
    "a tangent that is not there": (
        "af_sum",
        by("derivative", self=zero, jvp=lambda third_t: third_t),
        "asks for 'third_t'",
    ),
    "outputs that are not there": ("af_pair", by("derivative", self=zero, outputs=("value",)), "says outputs="),
    "no rule": ("af_sum", by("derivative"), "has no rule for any input"),
    "a rule that is text": ("af_sum", by("derivative", self="grad"), "a rule of type str"),
    "a rule that is True": ("af_sum", by("derivative", self=True), "a rule of type bool"),
    "a rule that is a list": ("af_sum", by("linear", self=[zero]), "a rule of type list"),
    "a rule that is a class": ("af_sum", by("derivative", self=dict), "of type type"),
    "a rule that is a builtin": ("af_sum", by("derivative", self=abs), "of type builtin_function_or_method"),
    "star arguments": ("af_sum", by("derivative", self=with_star), "with *args"),
    "words": ("af_sum", by("derivative", self=with_words), "**kwargs"),
    "a keyword-only parameter": ("af_sum", by("derivative", self=only_word), "keyword-only"),
    "thirteen parameters": ("af_sum", by("derivative", self=thirteen), "13 parameters, at most 12"),
    "a rule that returns two": (
        "af_sum",
        by("derivative", self=lambda grad: (grad, grad)),
        "returns 2 values; expected 1",
    ),
    "a slope that returns two": ("af_sum", by("elementwise", self=lambda self: (self, self)), "returns 2 values"),
    "a jvp that returns two": (
        "af_sum",
        by("derivative", self=zero, jvp=lambda self_t: (self_t, self_t)),
        "jvp that returns 2",
    ),
    "a jvp that returns two in a branch": ("af_sum", by("derivative", self=zero, jvp=branches), "jvp that returns 2"),
    "a jvp that returns three": (
        "af_pair",
        by("derivative", self=zero, jvp=lambda self_t: (self_t, None, None)),
        "jvp that returns 3 values; expected 2",
    ),
    "a jvp that returns none": ("af_pair", by("derivative", self=zero, jvp=lambda self_t: ()), "jvp that returns 0"),
    "a jvp for an input that is not there": (
        "af_sum",
        by("derivative", self=zero, jvp={"third": zero}),
        "names 'third' in jvp",
    ),
    "a jvp that is text": (
        "af_sum",
        by("derivative", self=zero, jvp={"self": "self_t"}),
        "a jvp for 'self' of type str",
    ),
    "a joint that returns one": (
        "af_sum",
        by("derivative", joint=lambda grad: (grad,), joint_inputs=("self", "other")),
        "joint that returns 1 values; expected 2",
    ),
    "a joint that returns three": (
        "af_sum",
        by("derivative", joint=lambda grad: (grad, grad, grad), joint_inputs=("self", "other")),
        "joint that returns 3",
    ),
    "a joint without inputs": ("af_sum", by("derivative", joint=lambda grad: ()), "no joint_inputs"),
    "a joint for text": ("af_sum", by("derivative", joint=zero, joint_inputs="self"), "no joint_inputs"),
    "a joint for an input that is not there": (
        "af_sum",
        by("derivative", joint=zero, joint_inputs=("third",)),
        "in joint_inputs",
    ),
    "two rules for an input": (
        "af_sum",
        by("derivative", self=zero, joint=zero, joint_inputs=("self", "other")),
        "two rules for 'self'",
    ),
    "an input twice": ("af_sum", by("derivative", joint=zero, joint_inputs=("self", "self")), "two rules for 'self'"),
    "a joint with thirteen parameters": (
        "af_sum",
        by("derivative", joint=thirteen, joint_inputs=("self", "other")),
        "joint with 13 parameters",
    ),
}


@pytest.mark.parametrize("word", WRONG, ids=lambda word: word.replace(" ", "-"))
def test_a_formula_that_cannot_be_right_is_refused_with_op_table_and_schema(word):
    name, write, message = WRONG[word]
    table = FormulaTable("acme_f")
    write(table, name)
    op = TABLE.ops[name]
    with pytest.raises(ValueError, match="the formula of ") as caught:
        check_entry(op, table.entries[name])
    text = str(caught.value)
    assert text.startswith(f"the formula of '{name}' in formula table 'acme_f' "), text
    assert message in text
    assert text.endswith(f"; the schema is {op.schema}")


def fresh():
    """A table of its own for each test: an op's formula is read once."""
    name = f"acme_f{next(COUNT)}"
    table, formulas = OpTable(name), FormulaTable(name)
    table.array(f"{name}_sum(Tensor self, Tensor other) -> Tensor", reference=lambda xp, x, y: x + y)
    table.along(
        f"{name}_pair(Tensor self, int dim) -> (Tensor values, Tensor places)",
        results=["same", "int64"],
        reference=lambda xp, x, dim: (x.max(dim), x.argmax(dim)),
    )
    table.array(f"{name}_cat(Tensor[] tensors) -> Tensor", reference=lambda xp, arrays: xp.concatenate(arrays))
    return table, formulas


def leaf():
    return wg.ones(3, requires_grad=True)


def used(table, formulas, call):
    with OPS.register(table.name, table), FORMULAS.register(table.name, formulas):
        OPS.get(table.name)
        return call({name.rpartition("_")[2]: op for name, op in table.ops.items()})


def test_a_wrong_formula_is_refused_when_its_op_is_first_recorded():
    table, formulas = fresh()
    formulas.derivative(f"{table.name}_sum", third=zero)
    with pytest.raises(
        ValueError, match=f"the formula of '{table.name}_sum' in formula table '{table.name}' names 'third'"
    ):
        used(table, formulas, lambda op: op["sum"](leaf(), leaf()))


def test_formulas_for_ops_that_do_not_exist_are_refused():
    table, formulas = fresh()
    formulas.derivative(f"{table.name}_sum", self=zero, other=zero)
    formulas.derivative(f"{table.name}_som", self=zero)
    with pytest.raises(
        ValueError,
        match=f"formula table '{table.name}' has formulas for operations that do not exist: {table.name}_som",
    ):
        used(table, formulas, lambda op: op["sum"](leaf(), leaf()))


def as_tuple(*values):
    """A function's result that its code does not show."""
    return tuple(values)


RUN = {
    "joint, too few": (
        by("derivative", joint=lambda grad: as_tuple(grad), joint_inputs=("self", "other")),
        "expected 2, got 1",
    ),
    "joint, too many": (
        by("derivative", joint=lambda grad: as_tuple(grad, grad, grad), joint_inputs=("self", "other")),
        "expected 2, got 3",
    ),
    "joint, a tensor": (by("derivative", joint=lambda grad: grad * 1, joint_inputs=("self", "other")), "type Tensor"),
    "joint, a number": (by("derivative", joint=lambda grad: int(3.5), joint_inputs=("self", "other")), "type int"),
    "joint, numbers": (by("derivative", joint=lambda grad: as_tuple(1, 2), joint_inputs=("self", "other")), "got int"),
    "a number": (by("derivative", self=lambda grad: int(3.5), other=zero), "got int"),
    "a tuple": (by("derivative", self=lambda grad: as_tuple(grad), other=zero), "got tuple"),
    "another shape": (by("derivative", self=lambda grad: grad.new_zeros(7), other=zero), "got [7]"),
    "an array": (by("derivative", self=lambda grad: np.zeros(3), other=zero), "got ndarray"),
}


@pytest.mark.parametrize("word", RUN, ids=lambda word: word.replace(" ", "-"))
def test_what_a_rule_returns_is_counted_and_looked_at_when_it_has_run(word):
    write, message = RUN[word]
    table, formulas = fresh()
    write(formulas, f"{table.name}_sum")
    with pytest.raises(RuntimeError) as caught:
        used(table, formulas, lambda op: op["sum"](leaf(), leaf()).sum().backward())
    assert message in str(caught.value)


@pytest.mark.parametrize("n", [0, 1, 3, 50])
def test_gradients_of_a_list_of_tensors_are_counted(n):
    table, formulas = fresh()
    formulas.derivative(f"{table.name}_cat", tensors=lambda grad: as_tuple(*[grad[:3]] * n))
    with pytest.raises(RuntimeError, match=f"returned an incorrect number of gradients .expected 2, got {n}"):
        used(table, formulas, lambda op: op["cat"]([leaf(), leaf()]).sum().backward())


PUSHED = {
    "a number": (lambda self_t: float(1), "object of type float"),
    "text": (lambda self_t: str(1), "object of type str"),
    "two": (lambda self_t: as_tuple(self_t, self_t), "returned 2 tangents, expected 1"),
    "an array": (lambda self_t: np.zeros(3), "object of type ndarray"),
}


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("word", PUSHED)
def test_what_a_jvp_returns_is_counted_and_looked_at_when_it_has_run(word, each):
    function, message = PUSHED[word]
    table, formulas = fresh()
    formulas.derivative(f"{table.name}_sum", self=zero, other=zero, jvp={"self": function} if each else function)
    with pytest.raises(RuntimeError) as caught:
        used(table, formulas, lambda op: wg.func.jvp(lambda x: op["sum"](x, wg.ones(3)), (wg.ones(3),), (wg.ones(3),)))
    assert message in str(caught.value) or (each and "object of type tuple" in str(caught.value)), caught.value


def test_a_jvp_of_several_outputs_is_counted():
    table, formulas = fresh()
    formulas.derivative(f"{table.name}_pair", self=zero, jvp=lambda self_t, dim: as_tuple(self_t.sum(dim), None, None))
    with pytest.raises(RuntimeError, match="returned 3 tangents, expected 2"):
        used(table, formulas, lambda op: wg.func.jvp(lambda x: op["pair"](x, 0)[0], (wg.ones(3),), (wg.ones(3),)))


def test_a_jvp_may_leave_out_outputs_that_are_not_differentiable():
    table, formulas = fresh()
    formulas.derivative(f"{table.name}_pair", self=zero, outputs=("values",), jvp=lambda self_t, dim: self_t.sum(dim))
    _, tangent = used(
        table, formulas, lambda op: wg.func.jvp(lambda x: op["pair"](x, 0)[0], (wg.ones(3),), (wg.ones(3),))
    )
    assert tangent.item() == 3


def test_formulas_of_ours_are_right_for_their_ops():
    """Every entry has been looked at by the check that a stranger's goes through."""
    from wengert_core.dispatch.op import find, names
    from wengert_engine.graph.formula_lookup import find_formula

    assert all(TABLE_OF_CORE.ops)  # loads all families
    looked = 0
    for name in names():
        op = find(name)
        entry = find_formula(op) if op.owner == "core" else None
        if entry is not None:
            check_entry(op.out_of_place or op if op.is_inplace else op, entry)
            looked += 1
    assert looked > 400


def test_words_for_tables_name_the_distribution_of_those_that_are_installed():
    assert formulas_of("core").startswith("formula table 'core' of wengert-formulas ")
    assert table_of("core").startswith("op table 'core' of wengert-core ")
    assert table_of("nobody") == "op table 'nobody'"


LINES = {
    "an op that is no text": lambda table: table.zero(wg.exp),
    "an op that is no identifier": lambda table: table.linear("a b", self=1),
    "a node that is a number": lambda table: table.elementwise("exp", 1, node=3),
    "a batching rule that is not known": lambda table: table.batch("exp", "broadcasts"),
    "a batching rule of no op": lambda table: table.batch(None, "broadcast"),
}


@pytest.mark.parametrize("word", LINES, ids=lambda word: word.replace(" ", "-"))
def test_a_line_that_cannot_be_right_is_refused_when_it_is_written(word):
    table = FormulaTable("acme_l")
    with pytest.raises(TypeError, match="formula table 'acme_l'"):
        LINES[word](table)
    assert not table.entries
    assert not table.batching
