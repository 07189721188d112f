"""Losses for classes and for probabilities."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    ctc_loss,
    nll_loss,
)

from wengert_nn.functional.linear_cross_entropy import linear_cross_entropy
from wengert_nn.losses.base import _Loss, _WeightedLoss
from wengert_nn.modules.linear import Linear


class NLLLoss(_WeightedLoss):
    """Return ``-weight[target] * input[target]``, reduced: the log likelihood of classes, with the other sign.

    input: log probabilities ``(N, C, ...)`` or ``(C,)``; target: classes ``(N, ...)``, integers below C.
    weight: a factor for each class, by the sum of which the mean divides. ignore_index: a target that does not count.

    >>> import wengert as wg
    >>> wg.nn.NLLLoss()(wg.tensor([[-1.0, -2.0]]), wg.tensor([1]))
    tensor(2.)
    """

    __constants__: ClassVar[list[str]] = ["ignore_index", "reduction"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return nll_loss(input, target, self._weight(), None, self.ignore_index, None, self.reduction)


class NLLLoss2d(NLLLoss):
    """A deprecated name of ``NLLLoss``."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Return the cross entropy of logits and classes: ``NLLLoss`` of ``log_softmax(input)``.

    input: logits ``(N, C, ...)`` or ``(C,)``; target: classes ``(N, ...)``, or probabilities in the shape of the input.
    weight, ignore_index: see ``NLLLoss``. label_smoothing: the share of the target that is spread over all classes.

    >>> import wengert as wg
    >>> wg.nn.CrossEntropyLoss()(wg.zeros(3, 4), wg.tensor([0, 1, 3]))
    tensor(1.3863)
    """

    __constants__: ClassVar[list[str]] = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        try:
            weight = self._buffers["weight"]  # see Note [Parameters in forward]
        except KeyError:
            weight = self.weight
        return cross_entropy(
            input, target, weight, None, self.ignore_index, None, self.reduction, self.label_smoothing
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """Return the cross entropy of a linear layer's output; the layer is the submodule ``linear``.

    in_features: size of the input's last dim. num_classes: C. out_features: the shape K of the losses of a sample.
    bias: whether the layer has one. options: see ``LinearCrossEntropyOptions``; the other arguments are those of
    ``CrossEntropyLoss``.
    input: ``(N, in_features)``, or without N; target: classes ``(N, *K)``, or probabilities ``(N, C, *K)``.

    >>> import wengert as wg
    >>> wg.nn.LinearCrossEntropyLoss(3, 4)(wg.zeros(2, 3), wg.tensor([0, 1])).detach()
    tensor(1.3863)
    """

    __constants__: ClassVar[list[str]] = [
        "num_classes", "out_features", "reduction", "ignore_index", "label_smoothing",
    ]  # fmt: skip

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        outputs = math.prod(out_features, start=num_classes)
        self.linear: Linear = Linear(in_features, outputs, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self._weight(),
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """Return the sizes and the options."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
            f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )


class BCELoss(_WeightedLoss):
    """Return ``-weight * (target * log(input) + (1 - target) * log(1 - input))``, reduced; logarithms at least -100.

    input, target: probabilities. weight: a factor for each sample, or whatever broadcasts to the input.

    >>> import wengert as wg
    >>> wg.nn.BCELoss()(wg.tensor([0.5, 0.5]), wg.tensor([0.0, 1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return binary_cross_entropy(input, target, self._weight(), None, None, self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Return the ``BCELoss`` of ``sigmoid(input)``, computed so that nothing overflows.

    weight: whatever broadcasts to the input. pos_weight: a factor of the terms of positive samples, for each class.

    >>> import wengert as wg
    >>> wg.nn.BCEWithLogitsLoss()(wg.zeros(2), wg.tensor([0.0, 1.0]))
    tensor(0.6931)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        buffers = self._buffers
        try:
            weight, pos_weight = buffers["weight"], buffers["pos_weight"]
        except KeyError:
            weight, pos_weight = self.weight, self.pos_weight
        return binary_cross_entropy_with_logits(input, target, weight, None, None, self.reduction, pos_weight)


class CTCLoss(_Loss):
    """Return the log likelihood, with the other sign, of label sequences that are shorter than the input.

    blank: the class that stands for no label. zero_infinity: whether infinite losses, of targets that are too long,
    become 0. reduction: "mean" divides each loss by the target's length first.
    ``forward(log_probs, targets, input_lengths, target_lengths)`` takes log probabilities ``(T, N, C)``, labels
    ``(N, S)`` or all in a row, and the lengths of both.
    Source: Graves and others, Connectionist temporal classification, 2006.

    >>> import wengert as wg
    >>> log_probs = wg.zeros(4, 1, 3).log_softmax(2)
    >>> wg.nn.CTCLoss()(log_probs, wg.tensor([[1, 2]]), wg.tensor([4]), wg.tensor([2]))
    tensor(0.8432)
    """

    __constants__: ClassVar[list[str]] = ["blank", "reduction"]

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        """Compute the loss."""
        return ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
