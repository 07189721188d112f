"""Layers that make probabilities."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import log_softmax, softmax, softmin

from wengert_nn.modules.module import Module

CALLER = 5
"""The frames between the warning about a dim that is not named and the call of the module, as in PyTorch."""


class AlongDim(Module):
    """The base class of layers along one dim. Without a dim the last or the second one is taken, with a warning."""

    __constants__: ClassVar[list[str]] = ["dim"]
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def extra_repr(self) -> str:
        """Return the dim."""
        return f"dim={self.dim}"


class Softmin(AlongDim):
    """Return ``exp(-x) / sum(exp(-x))`` along a dim.

    >>> import wengert as wg
    >>> wg.nn.Softmin(dim=0)(wg.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the probabilities."""
        return softmin(input, self.dim, CALLER)


class Softmax(AlongDim):
    """Return ``exp(x) / sum(exp(x))`` along a dim.

    >>> import wengert as wg
    >>> wg.nn.Softmax(dim=0)(wg.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the probabilities."""
        return softmax(input, self.dim, CALLER)


class Softmax2d(Module):
    """Return the softmax over the channels of images ``(N, C, H, W)`` or ``(C, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.Softmax2d()(wg.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the probabilities."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return softmax(input, -3)


class LogSoftmax(AlongDim):
    """Return the logarithm of the softmax along a dim.

    >>> import wengert as wg
    >>> wg.nn.LogSoftmax(dim=0)(wg.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the log probabilities."""
        return log_softmax(input, self.dim, CALLER)
