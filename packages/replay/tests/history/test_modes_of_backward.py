"""Backwards in other modes than their calls: the function runs again in those of the call."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import wengert as wg


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    before = wg.get_default_dtype()
    wg.set_default_dtype(dtype)
    try:
        yield
    finally:
        wg.set_default_dtype(before)


MODES: dict[str, Callable[[], Any]] = {
    "inference_mode": wg.inference_mode,
    "no_grad": wg.no_grad,
    "float64": lambda: default_dtype(wg.float64),
    "float64 in inference_mode": lambda: combine(wg.inference_mode(), default_dtype(wg.float64)),
    "none": contextlib.nullcontext,
}


@contextlib.contextmanager
def combine(one: Any, other: Any) -> Iterator[None]:
    with one, other:
        yield


def part_without_gradients(x: Any) -> Any:
    with wg.enable_grad():
        return (x * x).sin() * wg.ones(3)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "a product": lambda x, w: (x * w).sin(),
    "new numbers": lambda x, w: x * w * wg.tensor([1.0, 2.0, 3.0]) + wg.zeros(3),
    "random numbers": lambda x, w: wg.nn.functional.dropout(x * w, 0.5) * wg.rand(3),
    "a part": lambda x, w: part_without_gradients(x * w) * w,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("call", ["none", "no_grad"])
@pytest.mark.parametrize("backward", MODES)
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("n_calls", [1, 2])
def test_gradients_are_those_of_an_eager_run(
    name: str, call: str, backward: str, create_graph: bool, n_calls: int
) -> None:
    def run(capture: Any) -> Any:
        wg.manual_seed(0)
        w = wg.tensor([0.5, 1.0, 2.0], requires_grad=True)
        function = capture(lambda x: FUNCTIONS[name](x, w))
        for k in range(4):
            xs = [wg.tensor([1.0 + k, 2.0, n], requires_grad=True) for n in range(n_calls)]
            grad = wg.ones(3)
            with MODES[call]():
                results = [function(x) for x in xs]
            yield [(one.requires_grad, one.dtype, one.tolist()) for one in results]
            for x, y in zip(xs, results, strict=True):
                for given in (grad, None):
                    if not y.requires_grad:
                        continue
                    with MODES[backward]():
                        given = wg.ones(3, dtype=wg.float32) if given is None else given
                        found = wg.autograd.grad(y, [x, w], given, create_graph=create_graph, retain_graph=True)
                    yield [(one.is_inference(), one.requires_grad, one.dtype, one.tolist()) for one in found]
            yield wg.rand(1).item(), wg.get_default_dtype(), wg.is_grad_enabled(), wg.is_inference_mode_enabled()

    found = list(run(lambda function: wg.capture(function, quiet=True)))
    assert found == list(run(lambda function: function))


@pytest.mark.parametrize("n_calls", [1, 2])
def test_hooks_for_saved_tensors_around_backward_are_not_called(n_calls: int) -> None:
    w, packed = wg.ones(3, requires_grad=True), []

    def pack(tensor: Any) -> Any:
        packed.append(tensor)
        return tensor

    function = wg.capture(lambda x: (x * w).sin())
    for _ in range(4):
        x = wg.ones(3, requires_grad=True)
        for result in [function(x) for _ in range(n_calls)]:
            with wg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
                result.backward(wg.ones(3))
                assert packed == []
                _ = x * w
                assert packed
            packed.clear()
