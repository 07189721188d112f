"""Every differentiable op of the sample table passes gradcheck and gradgradcheck, in reverse and forward mode."""

import warnings

import pytest
from wengert_gradcheck import check_formula
from wengert_testing.samples import CASES

DIFFERENTIABLE = {case.op: case for case in CASES if case.grad}


@pytest.mark.parametrize("op", DIFFERENTIABLE)
def test_gradcheck(op: str) -> None:
    cases = [case for case in CASES if case.op == op and case.grad]
    with warnings.catch_warnings():
        for case in cases:
            if case.warns:
                warnings.filterwarnings("ignore", case.warns)
        check_formula(op, rtol=max(1e-3, *(case.rtol or 0 for case in cases), 0))


def test_there_are_ops() -> None:
    assert len(DIFFERENTIABLE) > 300
