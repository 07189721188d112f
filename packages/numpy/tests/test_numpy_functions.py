"""NumPy's functions on tensors: values, dtypes, shapes and derivatives, against NumPy and differences."""

from __future__ import annotations

from importlib import import_module

import pytest
from wengert_numpy.functions import table

from .numpy_calls import Call, assert_derivatives, assert_same_values

CALLS: list[Call] = []
for _module in table.modules():
    CALLS += import_module(f".numpy_calls_{_module}", __package__).CALLS


@pytest.mark.parametrize("call", CALLS, ids=repr)
def test_tensors_give_the_values_dtypes_and_shapes_of_arrays(call: Call) -> None:
    assert_same_values(call)


@pytest.mark.parametrize("call", [one for one in CALLS if one.gradient], ids=repr)
def test_derivatives_agree_with_differences(call: Call) -> None:
    assert_derivatives(call)
