"""Layers that join dims into one, or split one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Tensor

from wengert_nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Join the dims from `start_dim` to `end_dim` into one; all but the batch's by default.

    >>> import wengert as wg
    >>> wg.nn.Flatten()(wg.zeros(32, 1, 5, 5)).shape
    torch.Size([32, 25])
    """

    __constants__: ClassVar[list[str]] = ["start_dim", "end_dim"]
    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Join the dims."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the dims."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split a dim into several ones with the sizes `unflattened_size`, of which one may be -1.

    >>> import wengert as wg
    >>> wg.nn.Unflatten(1, (2, 5, 5))(wg.zeros(2, 50)).shape
    torch.Size([2, 2, 5, 5])
    """

    __constants__: ClassVar[list[str]] = ["dim", "unflattened_size"]
    dim: int
    unflattened_size: Sequence[int]

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input: Any) -> None:
        """Raise the error for sizes that are no tuple or list of ints."""
        if not isinstance(input, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(input).__name__}")
        for position, size in enumerate(input):
            if not isinstance(size, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} "
                    f"at pos {position}"
                )

    def forward(self, input: Tensor) -> Tensor:
        """Split the dim."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Return the dim and the sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
