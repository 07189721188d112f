"""Making tensors, and bringing them in from and out to NumPy and Python."""

from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg

MAKERS: dict[str, Callable[[], Any]] = {
    "tensor_number": lambda: wg.tensor(1.5),
    "tensor_list": lambda: wg.tensor([1.0, 2.0, 3.0, 4.0]),
    "zeros": lambda: wg.zeros(4, 4),
    "ones_leaf": lambda: wg.ones(4, 4, requires_grad=True),
    "full": lambda: wg.full((4, 4), 0.5),
    "empty": lambda: wg.empty(4, 4),
    "arange": lambda: wg.arange(16),
    "eye": lambda: wg.eye(4),
    "randn": lambda: wg.randn(4, 4),
}


class Factories:
    """Sixteen elements or fewer."""

    params = tuple(MAKERS)
    param_names = ("factory",)

    def setup(self, factory: str) -> None:
        self.make = MAKERS[factory]

    def time_make(self, factory: str) -> None:
        self.make()


class Exchange:
    """Nothing is copied but by tolist and item."""

    def setup(self) -> None:
        self.array = np.ones((4, 4), np.float32)
        self.tensor = wg.ones(4, 4)
        self.number = wg.tensor(1.5)

    def time_from_numpy(self) -> None:
        wg.from_numpy(self.array)

    def time_numpy(self) -> None:
        self.tensor.numpy()

    def time_item(self) -> None:
        self.number.item()

    def time_tolist(self) -> None:
        self.tensor.tolist()

    def time_detach(self) -> None:
        self.tensor.detach()

    def time_clone(self) -> None:
        self.tensor.clone()


class Random:
    """A million numbers."""

    def time_rand(self) -> None:
        wg.rand(10**6)

    def time_randn(self) -> None:
        wg.randn(10**6)

    def time_randperm(self) -> None:
        wg.randperm(10**6)
