"""Writes to saved tensors inside of ``allow_mutation_on_saved_tensors``, in captured functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import wengert as wg

from ..differential.scenarios import compare_runs


def write_value(x: Any, b: Any) -> Any:
    y = x * 1
    z = (y * y).sum()
    y.mul_(3)
    return wg.autograd.grad(z, x)[0]


def write_part(x: Any, b: Any) -> Any:
    y = x * 1
    z = (y[0] * y).sum()
    y[1:] = 7
    return wg.autograd.grad(z, x)[0] * y


def write_twice(x: Any, b: Any) -> Any:
    y = x * 1
    z = (y * y).sum()
    y.mul_(3)
    z = z + (y * y).sum()
    y.mul_(2)
    return wg.autograd.grad(z, x)[0]


def write_out(x: Any, b: Any) -> Any:
    y = x.detach() * 1
    z = (y * x).sum()
    wg.add(y, 1, out=y)
    return wg.autograd.grad(z, x)[0] * y


def write_outside(x: Any, b: Any) -> Any:
    z = (x * b).sum()
    b.mul_(2)
    return wg.autograd.grad(z, x)[0]


def write_argument(x: Any, b: Any) -> Any:
    z = (x.detach() * x).sum()
    x.detach().mul_(3)
    return wg.autograd.grad(z, x)[0]


def write_nothing(x: Any, b: Any) -> Any:
    return wg.autograd.grad((x * x).sum(), x)[0]


WRITES = [write_value, write_part, write_twice, write_out, write_outside, write_argument, write_nothing]


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_writes_to_saved_tensors_are_allowed_as_in_an_eager_call(write: Callable[[Any, Any], Any]) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        b = wg.tensor([2.0, 3.0])

        def step(x: Any) -> Any:
            with wg.autograd.graph.allow_mutation_on_saved_tensors():
                return write(x, b)

        function = capture(step)
        for number in range(7):
            x = wg.tensor([1.0 + number, 2.0], requires_grad=True)
            yield function(x), x, b

    assert compare_runs(generate).replays >= 4
