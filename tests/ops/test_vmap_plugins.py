"""vmap of a plugin's ops: their family's rule, a loop, or a rule of their own."""

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.optable.op_table import OpTable, install
from wengert_formulas.table import FormulaTable
from wengert_functional.vmap import vmap

TABLE = OpTable("batching_example")
CUBE = TABLE.pointwise_unary("example_cube(Tensor self) -> Tensor", reference=lambda xp, x: x * x * x)
BACKWARDS = TABLE.array("example_backwards(Tensor self) -> Tensor", reference=lambda xp, x: x[::-1].copy(),
                        method=False)
install(TABLE)
X = wc.arange(6.0).reshape(2, 3)


def test_a_pointwise_op_of_a_plugin_has_the_rule_of_its_family():
    np.testing.assert_array_equal(vmap(CUBE)(X).numpy(), (X**3).numpy())


def test_an_op_without_rule_is_called_for_each_element_with_a_warning():
    with pytest.warns(UserWarning, match="There is a performance drop because we have not yet implemented"):
        found = vmap(BACKWARDS)(X)
    np.testing.assert_array_equal(found.numpy(), X.flip(1).numpy())


def test_an_op_with_a_rule_of_its_own():
    seen = []

    def rule(call):
        seen.append((call.name, call.size, call.rank("self"), call.batched["self"]))
        return call.values["self"].flip(1)

    formulas = FormulaTable("batching_example")
    formulas.batch("example_backwards", rule)
    given = formulas.batching_rule(BACKWARDS)
    found = given(BACKWARDS, 2, {"self": X}, {"self": True}, "error")
    np.testing.assert_array_equal(found.numpy(), X.flip(1).numpy())
    assert seen == [("example_backwards", 2, 1, True)]
