"""Random module trees and steps of training, for tests of data parallel training on simulated ranks."""

from __future__ import annotations

import copy
from typing import Any

import wengert as wg
from hypothesis import strategies as st

WIDTH = 4
LAYERS = ("linear", "norm", "tanh", "nested", "shared", "bias")


@st.composite
def trees(draw: Any, depth: int = 0) -> list[Any]:
    """Return a description of a module tree: names of layers and lists of them."""
    names = [name for name in LAYERS if depth == 0 or name != "nested"]
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4))
    return [draw(trees(depth + 1)) if name == "nested" else name for name in chosen]


class AddBias(wg.nn.Module):
    """Adds a parameter without dims to its input."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = wg.nn.Parameter(wg.zeros((), dtype=wg.float64))

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.bias


def build(tree: list[Any], shared: Any = None) -> Any:
    """Return a module of float64 from a description. A shared layer is used wherever it is named."""
    shared = shared or wg.nn.Linear(WIDTH, WIDTH, dtype=wg.float64)
    makers = {
        "linear": lambda: wg.nn.Linear(WIDTH, WIDTH, dtype=wg.float64),
        "norm": lambda: wg.nn.LayerNorm(WIDTH, dtype=wg.float64),
        "tanh": wg.nn.Tanh,
        "shared": lambda: shared,
        "bias": AddBias,
    }
    parts = [build(one, shared) if isinstance(one, list) else makers[one]() for one in tree]
    return wg.nn.Sequential(wg.nn.Linear(WIDTH, WIDTH, dtype=wg.float64), *parts)


def mean_loss(model: Any, batch: Any) -> Any:
    """Return a loss whose average over equal parts of a batch is that of the batch."""
    return (model(batch) ** 2).mean() + model(batch * 0.5).sin().mean()


def gradients_of(model: Any) -> list[Any]:
    """Return copies of the gradients of a model."""
    return [None if parameter.grad is None else parameter.grad.clone() for parameter in model.parameters()]


def gradients_of_whole_batch(model: Any, batch: Any) -> list[Any]:
    """Return the gradients that one process computes."""
    alone = copy.deepcopy(model)
    alone.zero_grad()
    mean_loss(alone, batch).backward()
    return gradients_of(alone)


def assert_close(found: list[Any], expected: list[Any], rtol: float = 1e-10) -> None:
    """Assert that gradients are equal up to rounding."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        wg.testing.assert_close(one, other, rtol=rtol, atol=rtol)
