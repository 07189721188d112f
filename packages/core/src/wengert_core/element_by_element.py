"""Functions of Python numbers, called for each element of a tensor: slow, for what no operation does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor


def check(name: str, t: Tensor) -> None:
    if t.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Put what a function gives for each element in its place."""
    check("apply_", self)
    values = [callable(value) for value in self.reshape(-1).tolist()]
    TABLE.ops["copy_"](self, self.new_tensor(values).view(self.shape))
    return self


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Put what a function gives for each element and that of another tensor, which is broadcast, in its place."""
    check("map_", self)
    if tensor.dtype != self.dtype:
        raise TypeError(f"map_: expected a tensor of {self.dtype} for 'other' (got {tensor.dtype})")
    other = tensor.expand(self.shape)
    pairs = zip(self.reshape(-1).tolist(), other.reshape(-1).tolist(), strict=True)
    values = [callable(a, b) for a, b in pairs]
    TABLE.ops["copy_"](self, self.new_tensor(values).view(self.shape))
    return self
