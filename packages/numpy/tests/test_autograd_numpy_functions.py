"""NumPy's functions on arrays in differentiated code: the calls that are made with tensors, made with arrays."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
import wengert as wg
from wengert_core.extend import DisableTorchFunctionSubclass
from wengert_numpy.autograd_numpy.arrays.array import as_array, ndarray
from wengert_numpy.functions import table

from .numpy_calls import Call, assert_same_values, leaves


class ArrayCall(Call):
    """A call with arrays in place of tensors."""

    def tensors(self, requires_grad: bool = True) -> list[object]:
        return [as_array(one) for one in super().tensors(requires_grad)]


def array_calls() -> list[ArrayCall]:
    """Return the calls of all modules of the table that have some."""
    calls = []
    for module in table.modules():
        for call in import_module(f".numpy_calls_{module}", __package__).CALLS:
            calls.append(
                ArrayCall(call.name, *call.args, function=call.function, gradient=call.gradient, **call.kwargs)
            )
    return calls


@pytest.mark.parametrize("call", array_calls(), ids=repr)
def test_functions_of_arrays_give_the_values_of_numpy_as_arrays(call: ArrayCall) -> None:
    assert_same_values(call)
    result = call.on_tensors()
    assert type(result) is ndarray or not isinstance(result, wg.Tensor)


def second_derivatives(call: Call) -> list[np.ndarray]:
    """Return gradients of a weighted sum of the results, and gradients of their sum of squares."""
    inputs = call.tensors()
    results = [one for one in leaves(call.run(inputs)) if isinstance(one, wg.Tensor) and one.requires_grad]
    variables = [one for one in inputs if one.requires_grad]
    if not results or not variables:
        return []
    with DisableTorchFunctionSubclass():
        total = sum(wg.real(one * wg.cos(wg.arange(one.numel()).reshape(one.shape))).sum() for one in results)
        first = wg.autograd.grad(total, variables, create_graph=True, allow_unused=True)
        squares = [wg.real(one * one).sum() for one in first if one is not None and one.requires_grad]
        second = wg.autograd.grad(sum(squares), variables, allow_unused=True) if squares else ()
        return [one.numpy(force=True) for one in (*first, *second) if one is not None]


@pytest.mark.parametrize("call", [one for one in array_calls() if one.gradient], ids=repr)
def test_derivatives_are_those_by_tensors(call: ArrayCall) -> None:
    of_tensors = Call(call.name, *call.args, function=call.function, **call.kwargs)
    for found, expected in zip(second_derivatives(call), second_derivatives(of_tensors), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
