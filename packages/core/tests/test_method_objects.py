"""The object that a method is: what it does with another self."""

import pytest
import wengert_core as wc
from wengert_core.binding.checked_methods import Method


@pytest.mark.parametrize("wrong", [None, 2, "x", wc.ones(1)], ids=["None", "int", "str", "tensor"])
def test_a_method_of_methods_refuses_another_self(wrong):
    for name in ("__reduce__", "__repr__"):
        with pytest.raises(TypeError):
            getattr(Method, name)(wrong)
