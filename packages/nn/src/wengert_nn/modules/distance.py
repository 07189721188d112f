"""Layers that compare vectors."""

from __future__ import annotations

from typing import ClassVar

from wengert import Tensor
from wengert.nn.functional import cosine_similarity, pairwise_distance

from wengert_nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """Return the p-norm of ``x1 - x2 + eps`` over the last dim.

    p: the norm's exponent. eps: keeps the derivative finite at 0. keepdim: whether the last dim stays, with size 1.

    >>> import wengert as wg
    >>> wg.nn.PairwiseDistance(eps=0.0)(wg.tensor([[3.0, 4.0]]), wg.zeros(1, 2))
    tensor([5.])
    """

    __constants__: ClassVar[list[str]] = ["norm", "eps", "keepdim"]
    norm: float
    eps: float
    keepdim: bool

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compute the distances."""
        return pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Return ``x1 @ x2 / max(|x1| * |x2|, eps)`` along a dim: the cosine of the angle between vectors.

    >>> import wengert as wg
    >>> wg.nn.CosineSimilarity()(wg.tensor([[1.0, 0.0]]), wg.tensor([[3.0, 4.0]]))
    tensor([0.6000])
    """

    __constants__: ClassVar[list[str]] = ["dim", "eps"]
    dim: int
    eps: float

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compute the cosines."""
        return cosine_similarity(x1, x2, self.dim, self.eps)
