"""wengert-graph: walking a large graph, and what checkpointing costs beside a plain step.

The second run of a checkpoint computes once more what the first did, so half as much again is the least to expect.
"""

from typing import Any

import wengert as wg
from wengert.utils.checkpoint import checkpoint

from .programs import chain, numbers

NODES = 100_000


class Walk:
    """A chain of 100,000 nodes."""

    number, repeat = 1, (3, 20, 2.0)

    def setup(self) -> None:
        self.y = chain(lambda y: y * 1.000001, wg.ones(16, requires_grad=True), NODES)

    def time_walk(self) -> None:
        for _ in wg.autograd.graph.walk(self.y):
            pass

    def time_saved_memory(self) -> None:
        wg.autograd.graph.saved_memory(self.y)

    def time_draw_text(self) -> None:
        wg.autograd.graph.draw(self.y, limit=1000).to_text()


class Checkpoint:
    """Forward and backward of a network of three layers of 64, each layer with or without a checkpoint."""

    params = ("plain", "by hooks", "reentrant")
    param_names = ("way",)

    def setup(self, way: str) -> None:
        self.weights = [wg.tensor(numbers(64, 64, seed=seed)).requires_grad_() for seed in range(3)]
        self.x = wg.tensor(numbers(32, 64, seed=9)).requires_grad_()
        self.way = way

    def layer(self, x: Any, weight: Any) -> Any:
        return (x @ weight).tanh()

    def time_step(self, way: str) -> None:
        y = self.x
        for weight in self.weights:
            if way == "plain":
                y = self.layer(y, weight)
            else:
                y = checkpoint(self.layer, y, weight, use_reentrant=way == "reentrant")
        y.sum().backward()
