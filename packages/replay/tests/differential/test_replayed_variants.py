"""Rows of the sample table, captured beside eager, in other ways to call them: dtypes, strides, leaves, tensors from
outside, in place, ``out=``, wrong shapes. Values, types, strides, versions, gradients and errors must be the same.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import wengert as wg
from wengert_testing.calls import function_of, inplace_of, map_arrays, op_of, strided_copy
from wengert_testing.case import Fixed
from wengert_testing.samples import CASES

from .scenarios import attempt, compare_runs

STEP = 11
"""Every so many rows are run here; tools and releases run all (STEP = 1)."""
UNSPECIFIED = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_")
"""Their values are what was in memory before."""
ROWS = [case for case in CASES if case.op not in UNSPECIFIED]


def is_variable(array):
    return array.dtype.kind in "fc" and not isinstance(array, Fixed)


class Call:
    """A sample's call with its tensors in a flat list."""

    def __init__(self, case, sample, dtype):
        self.case, self.sample, self.arrays = case, sample, []

        def note(array):
            if is_variable(array):
                self.arrays.append(array)
            return array

        for value in [*sample.args, *sample.kwargs.values()]:
            map_arrays(value, note)

    def run(self, function, tensors, **options):
        """Call a function with these tensors in place of the sample's variables."""
        queue = list(tensors)

        def change(array):
            return queue.pop(0) if is_variable(array) else wg.tensor(np.asarray(array))

        args = tuple(map_arrays(value, change) for value in self.sample.args)
        kwargs = {name: map_arrays(value, change) for name, value in self.sample.kwargs.items()}
        return function(*self.case.arguments(args), **kwargs, **options)

    def rounds(self):
        """The arrays of four calls: the sample's, others of the same numbers, and both again."""
        others = [one if one.ndim == 2 else one.ravel()[::-1].reshape(one.shape).copy() for one in self.arrays]
        return [self.arrays, others, self.arrays, others]


def tensors_of(results):
    results = results if isinstance(results, (list, tuple)) else [results]
    return [one for one in results if isinstance(one, wg.Tensor)]


def total_of(results):
    wanted = [one for one in tensors_of(results) if one.requires_grad]
    return sum((one * one.conj()).real.sum() if one.is_complex() else (one * one).sum() for one in wanted)


def plain(call, make):
    """Arguments without gradients."""

    def scenario(capture):
        f = capture(lambda *xs: call.run(function_of(call.case.op), xs))
        for arrays in call.rounds():
            wg.manual_seed(3)
            tensors = [make(array) for array in arrays]
            yield attempt(f, *tensors), tensors

    return scenario


def gradients(call, make):
    """The backward pass is a part of the program; its leaves are arguments."""

    def scenario(capture):
        def step(*xs):
            result = call.run(function_of(call.case.op), xs)
            total = total_of(result)
            if isinstance(total, wg.Tensor) and total.requires_grad:
                total.backward()
            return [one.detach() for one in tensors_of(result)]

        f = capture(step)
        for arrays in call.rounds():
            wg.manual_seed(3)
            leaves = [make(array).requires_grad_() for array in arrays]
            yield attempt(f, *leaves), leaves

    return scenario


def histories(call, make):
    """The results have a graph, and the backward pass runs outside."""

    def scenario(capture):
        f = capture(lambda *xs: call.run(function_of(call.case.op), xs))
        for arrays in call.rounds():
            wg.manual_seed(3)
            leaves = [make(array).requires_grad_() for array in arrays]
            result = attempt(f, *leaves)
            total = total_of(result)
            error = attempt(total.backward) if isinstance(total, wg.Tensor) and total.requires_grad else None
            # One node adds up what an eager run adds up in .grad: the version of a gradient may differ.
            grads = [leaf.grad.clone() for leaf in leaves if leaf.grad is not None]
            yield [one.detach() for one in tensors_of(result)], error, grads

    return scenario


def outside(call, make):
    """The tensors are outside, with gradients that add up, and are written between calls."""

    def scenario(capture):
        leaves = [make(array).requires_grad_() for array in call.arrays]

        def step():
            result = call.run(function_of(call.case.op), leaves)
            total = total_of(result)
            if isinstance(total, wg.Tensor) and total.requires_grad:
                total.backward()
            return [one.detach() for one in tensors_of(result)]

        f = capture(step)
        for arrays in call.rounds():
            wg.manual_seed(3)
            with wg.no_grad():
                for leaf, array in zip(leaves, arrays, strict=True):
                    leaf.copy_(make(array))
            yield attempt(f), leaves

    return scenario


def in_place(call, make):
    """The op's variant in place, on an argument and on a view of one."""
    op = inplace_of(call.case)

    def scenario(capture):
        f = capture(lambda *xs: call.run(op, xs))
        g = capture(lambda *xs: call.run(op, [xs[0].view_as(xs[0]), *xs[1:]]))
        for arrays in call.rounds() if op is not None and call.arrays else []:
            for function in (f, g):
                wg.manual_seed(3)
                tensors = [make(array) for array in arrays]
                yield attempt(function, *tensors), tensors

    return scenario


def into_out(call, make):
    """``out=``: an argument of the right size, and one that is too small."""
    op = op_of(call.case)

    def scenario(capture):
        f = capture(lambda out, *xs: call.run(op, xs, out=out))
        for arrays in call.rounds() if op is not None and "out" in op.params else []:
            wg.manual_seed(3)
            tensors = [make(array) for array in arrays]
            like = attempt(call.run, op, tensors)
            if isinstance(like, wg.Tensor):
                for out in (wg.zeros_like(like), wg.zeros(0, dtype=like.dtype)):
                    wg.manual_seed(3)
                    yield attempt(f, out, *tensors), out, tensors

    return scenario


def wrong_shapes(call, make):
    """Good calls and bad ones in turn: errors are those of eager calls, and do no harm."""

    def scenario(capture):
        f = capture(lambda *xs: call.run(function_of(call.case.op), xs))
        for number, arrays in enumerate([*call.rounds(), *call.rounds()]):
            wg.manual_seed(3)
            tensors = [make(array) for array in arrays]
            if number % 2 and tensors:
                first = tensors[0]
                tensors[0] = first[:0] if first.ndim and number % 4 == 1 else first.unsqueeze(0).expand(3, *first.shape)
            yield attempt(f, *tensors), tensors

    return scenario


def as_dtype(dtype):
    return lambda array: wg.tensor(np.asarray(array)).to(dtype)


WAYS = {
    "plain": (plain, "float64", wg.tensor), "float32": (plain, "float32", wg.tensor),
    "complex": (gradients, "complex128", wg.tensor), "half": (plain, "float64", as_dtype(wg.float16)),
    "bfloat16": (plain, "float64", as_dtype(wg.bfloat16)), "integers": (plain, "float64", as_dtype(wg.int64)),
    "bool": (plain, "float64", as_dtype(wg.bool)), "strided": (gradients, "float64", strided_copy),
    "gradients32": (gradients, "float32", wg.tensor), "histories": (histories, "float64", wg.tensor),
    "outside": (outside, "float64", wg.tensor), "in_place": (in_place, "float64", wg.tensor),
    "strided_in_place": (in_place, "float64", strided_copy), "out": (into_out, "float64", wg.tensor),
    "wrong_shapes": (wrong_shapes, "float64", wg.tensor),
}  # fmt: skip
"""Ways to call: the scenario, the dtype of samples, the tensor of an array."""


def check(case, way):
    """Run all samples of a row in a way; return how many calls were replayed."""
    scenario, dtype, make = WAYS[way]
    if way == "complex" and not case.complex:
        return 0
    calls = [Call(case, sample, dtype) for sample in case.samples(dtype)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some operations warn of what they leave out
        return sum(compare_runs(scenario(call, make)).replays for call in calls)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", ROWS[::STEP], ids=str)
def test_replayed_operations_do_the_same_in_other_ways(case, way):
    check(case, way)


def test_most_ways_are_replayed():
    """Rows that run as usual each time prove nothing."""
    cases = [case for case in ROWS if case.op in ("exp", "mul", "sum", "matmul", "softmax")]
    for way in WAYS:
        assert sum(check(case, way) for case in cases) > 0 or way == "histories", way
