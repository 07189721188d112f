"""Values and dtypes against NumPy: every row of the table, contiguous or not, in the dtypes that the op takes."""

from __future__ import annotations

import numpy as np
import pytest
from wengert_testing.samples import CASES
from wengert_testing.values import check_dtypes, check_strided, check_value

ROWS = [case for case in CASES if case.oracle is not None]


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_values_are_the_oracles(case):
    for sample in case.samples("float64"):
        check_value(case, sample)


@pytest.mark.parametrize("case", [case for case in ROWS if case.complex], ids=str)
def test_values_of_complex_inputs_are_the_oracles(case):
    for sample in case.samples("complex128"):
        check_value(case, sample)


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_memory_layout_does_not_matter(case):
    for sample in case.samples("float64"):
        check_strided(case, sample)


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_every_dtype(case):
    with np.errstate(all="ignore"):
        check_dtypes(case)
