"""Rows of the sample table on a device, captured beside eager: results and gradients, with several calls in flight.

What the graph of a backward reads of its forward's memory has to be known, so that it can be kept for each call.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import wengert as wg
from wengert_testing.calls import function_of, map_arrays
from wengert_testing.case import Fixed
from wengert_testing.devices import rows

STEP = 9
"""Every so many rows are run here."""

LEFT_OUT = ("view_as_complex", "view_as_complex_copy", "logdet")
"""A gradient is added up with strides that the first cannot take; the simulated device cannot do the last again."""


def is_variable(array):
    return array.dtype == np.float64 and not isinstance(array, Fixed)


def function_and_inputs(case, sample):
    """A function of the sample's floating tensors, and numbers for these."""
    inputs, places = [], []

    def to_device(array):
        if is_variable(array):
            inputs.append(array)
            places.append(len(inputs) - 1)
            return Slot(len(inputs) - 1)
        return wg.tensor(np.asarray(array)).to("sim")

    class Slot(int):
        pass

    args = tuple(map_arrays(value, to_device) for value in sample.args)
    kwargs = {name: map_arrays(value, to_device) for name, value in sample.kwargs.items()}

    def fill(value, variables):
        if type(value) is Slot:
            return variables[value]
        if type(value) in (tuple, list):
            return type(value)(fill(one, variables) for one in value)
        return value

    def function(*variables):
        given = tuple(fill(value, variables) for value in args)
        named = {name: fill(value, variables) for name, value in kwargs.items()}
        return function_of(case.op)(*case.arguments(given), **named)

    return function, inputs


def outcome(function, inputs):
    """Results and gradients of calls whose backwards come behind further calls."""
    wg.manual_seed(0)
    found = []
    for _ in range(4):
        leaves = [[wg.tensor(one * (1 + 1e-3 * k)).to("sim").requires_grad_() for one in inputs] for k in range(2)]
        made = [function(*one) for one in leaves]
        for results, ends in zip(made, leaves, strict=True):
            results = [one for one in (results if isinstance(results, (tuple, list)) else [results])
                       if isinstance(one, wg.Tensor)]  # fmt: skip
            roots = [one for one in results if one.requires_grad and one.is_floating_point()]
            total = sum((one * one).sum() for one in roots) if roots else None
            grads = [] if total is None else wg.autograd.grad(total, ends, allow_unused=True)
            found.append(([one.detach().cpu().numpy() for one in results],
                          [None if one is None else one.cpu().numpy() for one in grads]))  # fmt: skip
    return found


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("case", [one for one in rows(gradients=True)[::STEP] if one.op not in LEFT_OUT], ids=str)
def test_gradients_are_those_of_eager_calls(case):
    for sample in itertools.islice(case.samples("float64"), 3):
        function, inputs = function_and_inputs(case, sample)
        if not inputs:
            continue
        run = wg.capture(function, quiet=True)
        for ours, theirs in zip(outcome(run, inputs), outcome(function, inputs), strict=True):
            for one, other in zip((*ours[0], *ours[1]), (*theirs[0], *theirs[1]), strict=True):
                np.testing.assert_array_equal(one, other)
