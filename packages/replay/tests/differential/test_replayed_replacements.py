"""Functions whose results have a graph, and that give a tensor from outside other memory; modes of results."""

from __future__ import annotations

import pytest
import wengert as wg

from .scenarios import attempt, check_reason, compare_runs


def test_a_function_that_assigns_data_does_so_once_for_each_call():
    def generate(capture):
        w = wg.tensor([1.0, -2.0])

        def function(x):
            w.data = w.data * 0.5
            return x * w.sum()

        f = capture(function)
        for k in range(4):
            x = wg.tensor([1.0 + k, 2.0], requires_grad=True)
            y = f(x)
            yield y, w
            y.sum().backward()
            yield x, w

    check_reason(compare_runs(generate), "the function gives a tensor from outside other memory")


def test_a_leaf_whose_data_are_assigned():
    def generate(capture):
        w = wg.tensor([1.0, -2.0], requires_grad=True)

        def function(x):
            w.data = w.data + 1
            return (x * w).sum()

        f = capture(function)
        for k in range(4):
            y = f(wg.tensor([1.0 + k, 2.0]))
            y.backward()
            yield y, w

    check_reason(compare_runs(generate), "the function has stored a leaf that it made")


def test_results_of_transforms_in_inference_mode_are_what_they_are_without_a_capture():
    def generate(capture):
        f = capture(lambda x: (wg.func.hessian(lambda t: (t * t * x).sum())(x), x * 2))
        for k in range(4):
            x = wg.tensor([1.0 + k, 2.0])
            with wg.inference_mode():
                made = f(x)
            yield made, [one.is_inference() for one in made]

    assert compare_runs(generate).replays == 3


OUTS = [
    (lambda w, x: wg.matmul(w, w, out=w), (4,), "dot changes the shape of a tensor by out="),
    (lambda w, x: wg.sum(w, 0, out=w), (2, 3), "sum changes the shape of a tensor by out="),
    (lambda w, x: wg.searchsorted(x, x[:, :2].contiguous(), out=w), (2, 3), "Python or NumPy read or wrote the memory"),
    (lambda w, x: wg.cat([x, x], out=w), (2, 3), ""),
    (lambda w, x: wg.add(x, 1, out=w), (0,), ""),
]


@pytest.mark.parametrize("number", range(len(OUTS)))
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized:UserWarning")
def test_a_tensor_from_outside_that_out_gives_another_shape(number):
    operation, shape, reason = OUTS[number]

    def generate(capture):
        w = wg.ones(shape, dtype=wg.int64) * 2

        def function(x):
            operation(w, x)
            return w.sum() + x

        f = capture(function)
        for k in range(5):
            yield attempt(f, wg.tensor([[1, 2, 5], [0, 1, 3 + k]])), w

    outcome = compare_runs(generate)
    if reason:
        check_reason(outcome, reason)
    else:
        assert outcome.replays == 3  # once it has its shape


@pytest.mark.parametrize("operation", [
    lambda x, w: wg.searchsorted(x, x + 1, out=w), lambda x, w: wg.bucketize(x, x[0].contiguous(), out=w),
])
def test_a_tensor_that_a_composite_writes_to_by_out(operation):
    """It is written in each call, its version rises, and another tensor in its place is noticed."""
    def generate(capture):
        tensors = [wg.zeros(2, 3, dtype=wg.int64)]
        f = capture(lambda x: operation(x, tensors[0]) is tensors[0])
        for k in range(8):
            if k == 5:
                tensors[0] = wg.ones(2, 3, dtype=wg.int64)
            yield f(wg.tensor([[1, 2, 5], [0, 1, 3 + k]])), tensors[0]

    assert compare_runs(generate).replays >= 3
