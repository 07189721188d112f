"""Losses that want scores or distances to differ by a margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)

from wengert_nn.losses.base import _Loss, _WeightedLoss
from wengert_nn.modules.distance import PairwiseDistance


class _MarginLoss(_Loss):
    """The base class of losses with a margin as their first option."""

    __constants__: ClassVar[list[str]] = ["margin", "reduction"]
    margin: float

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_MarginLoss):
    """Return the input where the target is 1, and ``max(0, margin - input)`` where it is -1, reduced.

    >>> import wengert as wg
    >>> wg.nn.HingeEmbeddingLoss(reduction="none")(wg.tensor([0.3, 0.3]), wg.tensor([1, -1]))
    tensor([0.3000, 0.7000])
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return hinge_embedding_loss(input, target, self.margin, None, None, self.reduction)


class CosineEmbeddingLoss(_MarginLoss):
    """Return ``1 - cos`` where the target is 1, and ``max(0, cos - margin)`` where it is -1, reduced.

    cos: the cosine of the angle between two vectors: ``(N, D)``, or ``(D,)``.

    >>> import wengert as wg
    >>> wg.nn.CosineEmbeddingLoss()(wg.tensor([[1.0, 0.0]]), wg.tensor([[0.0, 1.0]]), wg.tensor([1]))
    tensor(1.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return cosine_embedding_loss(input1, input2, target, self.margin, None, None, self.reduction)


class MarginRankingLoss(_MarginLoss):
    """Return ``max(0, -target * (input1 - input2) + margin)``, reduced: the larger one is known.

    >>> import wengert as wg
    >>> wg.nn.MarginRankingLoss()(wg.tensor([1.0]), wg.tensor([3.0]), wg.tensor([1.0]))
    tensor(2.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return margin_ranking_loss(input1, input2, target, self.margin, None, None, self.reduction)


class SoftMarginLoss(_Loss):
    """Return ``log(1 + exp(-target * input))``, reduced, for targets 1 and -1.

    >>> import wengert as wg
    >>> wg.nn.SoftMarginLoss()(wg.zeros(2), wg.tensor([1.0, -1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return soft_margin_loss(input, target, None, None, self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Return the sum of ``max(0, 1 - (input[j] - input[i])) / C`` over labels j and other classes i, reduced.

    input: scores ``(N, C)`` or ``(C,)``; target: the labels, integers in the shape of the input, up to the first -1.

    >>> import wengert as wg
    >>> wg.nn.MultiLabelMarginLoss()(wg.tensor([[0.1, 0.2, 0.4, 0.8]]), wg.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return multilabel_margin_loss(input, target, None, None, self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Return the mean over the classes of the binary cross entropy of ``sigmoid(input)``, reduced.

    input: scores ``(N, C)``; target: 0 or 1 for each class. weight: a factor for each class.

    >>> import wengert as wg
    >>> wg.nn.MultiLabelSoftMarginLoss()(wg.zeros(1, 2), wg.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return multilabel_soft_margin_loss(input, target, self._weight(), None, None, self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Return the sum of ``max(0, margin - input[target] + input[i]) ** p / C`` over the other classes i, reduced.

    p: 1 or 2. weight: a factor for each class. input: scores ``(N, C)`` or ``(C,)``; target: classes.

    >>> import wengert as wg
    >>> wg.nn.MultiMarginLoss()(wg.tensor([[0.1, 0.2, 0.4, 0.8]]), wg.tensor([3]))
    tensor(0.3250)
    """

    __constants__: ClassVar[list[str]] = ["p", "margin", "reduction"]

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError(f"only p == 1 and p == 2 supported, got {p}")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return multi_margin_loss(
            input, target, self.p, self.margin, self._weight(), None, None, self.reduction
        )


def check_margin(name: str, margin: float) -> None:
    """Raise the error of triplet losses for a margin that is not positive."""
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")


class TripletMarginLoss(_Loss):
    """Return ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, reduced, with a p-norm as distance d.

    p, eps: see ``PairwiseDistance``. swap: whether the distance from positive to negative counts where it is shorter.
    Source: Balntas and others, Learning shallow convolutional feature descriptors with triplet losses, 2016.

    >>> import wengert as wg
    >>> wg.nn.TripletMarginLoss()(wg.zeros(1, 2), wg.zeros(1, 2), wg.zeros(1, 2))
    tensor(1.)
    """

    __constants__: ClassVar[list[str]] = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        check_margin("TripletMarginLoss", margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, None, None, self.reduction
        )


class TripletMarginWithDistanceLoss(_Loss):
    """Return ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, reduced, with any distance d.

    distance_function: d, a function of two tensors; ``PairwiseDistance()`` by default. swap: see ``TripletMarginLoss``.

    >>> import wengert as wg
    >>> loss = wg.nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))
    >>> loss(wg.zeros(1, 2), wg.ones(1, 2), wg.zeros(1, 2))
    tensor(3.)
    """

    __constants__: ClassVar[list[str]] = ["margin", "swap", "reduction"]

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        check_margin("TripletMarginWithDistanceLoss", margin)
        distance: Any = PairwiseDistance() if distance_function is None else distance_function
        self.distance_function = distance
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
