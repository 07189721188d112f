"""Gradients of in-place variants, and of the operations that exist only in place."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we
from wengert_formulas.forward import jvp
from wengert_testing.calls import inplace_of
from wengert_testing.gradients import check_inplace
from wengert_testing.samples import CASES

RANDOM = ("uniform_", "normal_", "exponential_", "cauchy_", "log_normal_", "bernoulli_", "random_")


@pytest.mark.parametrize("case", [case for case in CASES if case.grad and inplace_of(case)], ids=str)
def test_an_inplace_variant_has_the_ops_gradients(case):
    for sample in case.samples("float64"):
        check_inplace(case, sample)


def leaves():
    return wc.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), wc.tensor([5.0, 6.0], requires_grad=True)


def test_copy_gives_the_gradient_to_the_source_summed_over_what_was_broadcast():
    x, y = leaves()
    (x * 1).copy_(y).sum().backward()
    assert x.grad.tolist() == [[0, 0], [0, 0]]
    assert y.grad.tolist() == [2, 2]


def test_copy_converts_the_gradient_back():
    x, _ = leaves()
    wc.zeros(2, 2, dtype=wc.float64).copy_(x).sum().backward()
    assert x.grad.dtype is wc.float32


def test_copy_into_a_part_leaves_the_rest():
    x, y = leaves()
    z = x * 2
    z[0].copy_(y)
    (z * wc.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [[0, 0], [6, 8]]
    assert y.grad.tolist() == [1, 2]


def test_copy_has_a_tangent():
    tangents = jvp(wc.TABLE.ops["copy_"], [wc.zeros(2, 2), wc.ones(2)], [wc.ones(2, 2), wc.tensor([3.0, 4.0])])
    assert tangents[0].tolist() == [[3, 4], [3, 4]]


@pytest.mark.parametrize("name", ["zero_", *RANDOM])
def test_what_overwrites_everything_passes_no_gradient(name):
    x, _ = leaves()
    y = getattr(x * 0 + 0.5, name)()
    y.sum().backward()
    assert y.grad_fn is not None
    assert x.grad.tolist() == [[0, 0], [0, 0]]


def test_a_conversion_converts_the_gradient_back():
    x, _ = leaves()
    y = x.to(wc.float64)
    we.backward(y, wc.ones(2, 2, dtype=wc.float64) * 3)
    assert x.grad.dtype is wc.float32
    assert x.grad.tolist() == [[3, 3], [3, 3]]
    assert jvp(wc.TABLE.ops["_to_copy"], [x.detach(), wc.float64], [wc.ones(2, 2)])[0].dtype is wc.float64


def test_an_old_value_that_a_formula_needs_is_kept():
    x, y = leaves()
    z = x * 1
    z.mul_(y)
    z.sum().backward()
    np.testing.assert_array_equal(y.grad.numpy(), [4, 6])
    np.testing.assert_array_equal(x.grad.numpy(), [[5, 6], [5, 6]])
