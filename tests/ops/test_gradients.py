"""Reverse mode against differences, forward against reverse, the second order: every row of the table."""

from __future__ import annotations

import pytest
from wengert_testing.gradients import check_gradients
from wengert_testing.samples import CASES

ROWS = [case for case in CASES if case.grad]


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_gradients_of_real_inputs(case):
    for sample in case.samples("float64"):
        check_gradients(case, sample)


@pytest.mark.parametrize("case", [case for case in ROWS if case.complex], ids=str)
def test_gradients_of_complex_inputs(case):
    for sample in case.samples("complex128"):
        check_gradients(case, sample)
