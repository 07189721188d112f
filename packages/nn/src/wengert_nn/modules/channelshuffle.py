"""The layer that interleaves groups of channels."""

from __future__ import annotations

from typing import ClassVar

from wengert import Tensor

from wengert_nn.functional.channels import channel_shuffle
from wengert_nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Interleave groups of channels: the first channel of each group, the second of each group, and so on.

    groups: their number, which divides the number of channels. input, output: ``(N, C, ...)``.

    >>> import wengert as wg
    >>> wg.nn.ChannelShuffle(2)(wg.arange(4.0).reshape(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    __constants__: ClassVar[list[str]] = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange the channels."""
        return channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the number of groups."""
        return f"groups={self.groups}"
