"""Rows of the sample table, captured beside eager: the same values and gradients bit by bit, and the same errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import wengert as wg
from wengert_testing.calls import function_of, map_arrays
from wengert_testing.case import Fixed
from wengert_testing.samples import CASES

STEP = 7
"""Every so many rows are run here; tools and releases run all (STEP = 1)."""


UNSPECIFIED = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_")
"""Their values are what was in memory before."""


def is_variable(array):
    return array.dtype == np.float64 and not isinstance(array, Fixed)


def reversed_numbers(array):
    """The same numbers in another order: they are in the op's domain as well."""
    return array.ravel()[::-1].reshape(array.shape).copy() if is_variable(array) and array.ndim != 2 else array.copy()


def program_of(case, sample):
    """A function of the sample's floating arrays: the op's results, and their gradients where it has any."""
    function = function_of(case.op)

    def program(*variables):
        queue = list(variables)
        leaves = []

        def change(array):
            if not is_variable(array):
                return wg.tensor(np.asarray(array))
            leaf = queue.pop(0).detach()
            leaves.append(leaf.requires_grad_() if case.grad else leaf)
            return leaves[-1]

        args = tuple(map_arrays(value, change) for value in sample.args)
        kwargs = {name: map_arrays(value, change) for name, value in sample.kwargs.items()}
        results = function(*case.arguments(args), **kwargs)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        tensors = [one for one in results if isinstance(one, wg.Tensor)]
        wanted = [one for one in tensors if one.requires_grad and one.is_floating_point()]
        grads = []
        if wanted and leaves:
            total = sum((one * one).sum() for one in wanted)
            grads = list(wg.autograd.grad(total, leaves, allow_unused=True)) if total.requires_grad else []
        return [one.detach() if isinstance(one, wg.Tensor) else one for one in results], grads

    return program


def outcome(function, arrays):
    """Return the result of a call as bytes; of an error its type and message."""
    wg.manual_seed(3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return describe(function(*[wg.tensor(array) for array in arrays]))
    except Exception as error:
        return type(error), str(error)


def describe(value):
    if isinstance(value, wg.Tensor):
        data = value if value.dtype is not wg.bfloat16 else value.float()
        return value.dtype, tuple(value.shape), value.stride(), data.numpy().tobytes() if value.numel() else b""
    return [describe(one) for one in value] if isinstance(value, (list, tuple)) else repr(value)


def variables_of(sample):
    found = []

    def note(array):
        if is_variable(array):
            found.append(array)
        return array

    for value in [*sample.args, *sample.kwargs.values()]:
        map_arrays(value, note)
    return found


def check(case, sample):
    """Return whether the sample was replayed."""
    program = program_of(case, sample)
    captured = wg.capture(program)
    arrays = variables_of(sample)
    others = [reversed_numbers(array) for array in arrays]
    for number, values in enumerate((arrays, others, arrays, others)):
        expected, got = outcome(program, values), outcome(captured, values)
        assert got == expected, f"{case.op}{sample!r}, call {number}: {wg.replay.explain(captured)}"
    return wg.replay.explain(captured)


@pytest.mark.parametrize("case", [case for case in CASES[::STEP] if case.op not in UNSPECIFIED], ids=str)
def test_replayed_operations_give_the_same_bits(case):
    for sample in case.samples("float64"):
        check(case, sample)
