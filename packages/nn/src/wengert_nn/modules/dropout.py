"""Layers that put zeros at random positions while a model is trained."""

from __future__ import annotations

from typing import ClassVar

from wengert import Tensor
from wengert.nn.functional import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)

from wengert_nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "_DropoutNd"]


class _DropoutNd(Module):
    """The base class of dropouts: a probability, and whether the input itself is changed."""

    __constants__: ClassVar[list[str]] = ["p", "inplace"]
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the probability, and whether the input is changed."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Replace each element by 0 with the probability `p`, and divide the others by ``1 - p``; while training only.

    inplace: whether the input itself is changed.
    Source: Hinton and others, Improving neural networks by preventing co-adaptation of feature detectors, 2012.

    >>> import wengert as wg
    >>> layer = wg.nn.Dropout(0.5)
    >>> layer(wg.ones(1000)).unique()
    tensor([0., 2.])
    >>> layer.eval()(wg.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replace elements by zeros."""
        return dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Replace whole channels of ``(N, C, L)`` or ``(C, L)`` by zeros; see ``Dropout``.

    >>> import wengert as wg
    >>> wg.nn.Dropout1d(1.0)(wg.ones(1, 1, 2))
    tensor([[[0., 0.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replace channels by zeros."""
        return dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Replace whole channels of images ``(N, C, H, W)`` or ``(C, H, W)`` by zeros; see ``Dropout``.

    >>> import wengert as wg
    >>> wg.nn.Dropout2d(0.5)(wg.ones(1, 100, 8, 8)).mean((2, 3)).unique()
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replace channels by zeros."""
        return dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Replace whole channels of volumes ``(N, C, D, H, W)`` or ``(C, D, H, W)`` by zeros; see ``Dropout``.

    >>> import wengert as wg
    >>> wg.nn.Dropout3d(0.0)(wg.ones(1, 1, 1, 1, 2))
    tensor([[[[[1., 1.]]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replace channels by zeros."""
        return dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Replace elements by the negative limit of ``SELU``, and keep mean and variance by an affine map.

    Source: Klambauer and others, Self-normalizing neural networks, 2017.

    >>> import wengert as wg
    >>> wg.nn.AlphaDropout(0.5).eval()(wg.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replace elements."""
        return alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Replace whole channels as ``AlphaDropout`` replaces elements.

    >>> import wengert as wg
    >>> wg.nn.FeatureAlphaDropout(0.5)(wg.ones(1, 100, 8)).var(2).sum()
    tensor(0.)
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replace channels."""
        return feature_alpha_dropout(input, self.p, self.training)
