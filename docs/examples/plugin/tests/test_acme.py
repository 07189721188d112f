"""wengert-acme: values, gradients and corner cases; what wengert's own operations are tested for."""

import numpy as np
import pytest
import wengert as wg
from wengert_acme.ops import TABLE
from wengert_acme.samples import CASES
from wengert_formulas.extend import jvp
from wengert_testing.extend import check_dtypes, check_gradients, check_strided, check_value

wg.log_cosh  # noqa: B018 - the first use of a name of the plugin loads it, methods of Tensor and all


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_are_numpys(case):
    for sample in case.samples("float64"):
        check_value(case, sample)
        check_strided(case, sample)
    check_dtypes(case)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_reverse_forward_and_second_order(case):
    for sample in case.samples("float64"):
        check_gradients(case, sample)


def test_every_op_has_a_sample_and_a_line_of_documentation():
    plain = {name: op for name, op in TABLE.ops.items() if not name.endswith("_")}
    assert {case.op for case in CASES} == set(plain)
    assert all(op.doc for op in plain.values())


def test_log_cosh_does_not_overflow():
    x = wg.tensor([-1e4, 0.0, 1e4], dtype=wg.float64, requires_grad=True)
    y = wg.log_cosh(x)
    y.sum().backward()
    np.testing.assert_allclose(y.detach().numpy(), [1e4 - np.log(2), 0, 1e4 - np.log(2)])
    np.testing.assert_array_equal(x.grad.numpy(), [-1, 0, 1])


def test_relative_entropy_at_the_border():
    inf = float("inf")
    x, y = wg.tensor([0.0, 1.0, -1.0, 0.0]), wg.tensor([0.0, 0.0, 1.0, 2.0])
    assert wg.rel_entr(x, y).tolist() == [0, inf, inf, 0]


def test_methods_out_and_in_place_variants_come_with_the_row():
    x, out = wg.tensor([8.0, 27.0], dtype=wg.float64), wg.empty(2, dtype=wg.float64)
    np.testing.assert_allclose(x.cbrt().numpy(), [2, 3])
    assert wg.cbrt(x, out=out) is out
    assert x.cbrt_() is x
    assert x.tolist() == out.tolist() == pytest.approx([2, 3])


def test_the_forward_rule_agrees_with_differences():
    x, y = wg.tensor([0.2, 1.5], dtype=wg.float64), wg.tensor([0.7, 0.4], dtype=wg.float64)
    step = wg.tensor([1e-6, -1e-6], dtype=wg.float64)
    (tangent,) = jvp(TABLE.ops["rel_entr"], [x, y], [step, 2 * step])
    difference = (wg.rel_entr(x + step, y + 2 * step) - wg.rel_entr(x - step, y - 2 * step)) / 2
    np.testing.assert_allclose(tangent.numpy(), difference.numpy(), rtol=1e-8)
