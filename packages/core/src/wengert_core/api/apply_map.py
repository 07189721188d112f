"""Functions of Python numbers, called for each element of a tensor: slow, for what no operation does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor


def check(name: str, t: Tensor) -> None:
    if t.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Put what a function gives for each element in its place."""
    check("apply_", self)
    values = [callable(value) for value in self.reshape(-1).tolist()]
    TABLE.ops["copy_"](self, self.new_tensor(values).view(self.shape))
    return self


def broadcast_numbers(name: str, self: Tensor, **others: Any) -> list[list[Any]]:
    """The numbers of tensor and others, which are broadcast to its shape; TypeError for one of another kind."""
    for position, (argument, other) in enumerate(others.items(), 1):
        if not isinstance(other, Tensor):
            got = type(other).__name__
            raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {got}")
        if other.dtype != self.dtype:
            raise TypeError(f"{name}: expected a tensor of {self.dtype} for '{argument}' (got {other.dtype})")
    for t in (self, *others.values()):
        check(name, t)
    return [t.expand(self.shape).reshape(-1).tolist() for t in (self, *others.values())]


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Put what a function gives for each element and that of another tensor, which is broadcast, in its place."""
    values = [callable(a, b) for a, b in zip(*broadcast_numbers("map_", self, other=tensor), strict=True)]
    TABLE.ops["copy_"](self, self.new_tensor(values).view(self.shape))
    return self


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Put what a function gives for each element and those of two tensors, which are broadcast, in its place.

    >>> from wengert_core import tensor
    >>> tensor([1.0, 2.0]).map2_(tensor([3.0, 4.0]), tensor([5.0]), lambda a, b, c: a + b * c).tolist()
    [16.0, 22.0]
    """
    values = [callable(a, b, c) for a, b, c in zip(*broadcast_numbers("map2_", self, x=x, y=y), strict=True)]
    TABLE.ops["copy_"](self, self.new_tensor(values).view(self.shape))
    return self
