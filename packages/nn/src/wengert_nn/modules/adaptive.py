"""The adaptive softmax: a loss for many classes, of which few are frequent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import wengert
from wengert import Tensor
from wengert.nn.functional import log_softmax

from wengert_nn.modules.container import ModuleList, Sequential
from wengert_nn.modules.linear import Linear
from wengert_nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss", "_ASMoutput"]


class _ASMoutput(NamedTuple):
    """The log probabilities of the targets, and their mean with the other sign."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Compute log probabilities of classes that are sorted by frequency, those of rare ones by smaller layers.

    The classes are cut into a shortlist and clusters: ``head`` has an output for each class of the shortlist and for
    each cluster, ``tail[i]`` one for each class of a cluster.
    in_features: size of the input's last dim. n_classes: number of classes. cutoffs: the first class of each cluster.
    div_value: by which the size of the layers in between goes down from cluster to cluster. head_bias: whether `head`
    has a bias. device, dtype: those of the parameters.
    ``forward(input, target)`` returns ``(output, loss)``: for inputs ``(N, in_features)`` and classes ``(N,)`` the log
    probability of each target, and the mean of them with the other sign; also without N.
    Source: Grave and others, Efficient softmax approximation for GPUs, arXiv:1609.04309.

    >>> import wengert as wg
    >>> layer = wg.nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
    >>> output, loss = layer(wg.zeros(3, 16), wg.tensor([0, 7, 19]))
    >>> output.shape, loss.shape, layer.log_prob(wg.zeros(3, 16)).shape
    (torch.Size([3]), torch.Size([]), torch.Size([3, 20]))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        check_cutoffs(cutoffs, n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs: list[int] = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size: int = cutoffs[0]
        self.n_clusters: int = len(cutoffs)
        self.head_size: int = self.shortlist_size + self.n_clusters
        self.head: Linear = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail: ModuleList = ModuleList()
        for number in range(self.n_clusters):
            hidden = int(in_features // div_value ** (number + 1))
            outputs = self.cutoffs[number + 1] - self.cutoffs[number]
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, device=device, dtype=dtype),
                    Linear(hidden, outputs, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Return the log probabilities of the targets, and the loss."""
        check_target(input_, target_)
        if target_.dim() == 0:
            output, loss = self.forward(input_.unsqueeze(0), target_.unsqueeze(0))
            return _ASMoutput(output.squeeze(0), loss)
        head_output = self.head(input_)
        columns = target_.clone()
        # without in-place writes to a result, the gradient of each cluster goes to its rows alone
        inside = input_.new_zeros(target_.shape)
        seen = int(((target_ >= 0) & (target_ < self.shortlist_size)).sum())
        for number in range(self.n_clusters):
            first, last = self.cutoffs[number], self.cutoffs[number + 1]
            rows = ((target_ >= first) & (target_ < last)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            seen += rows.numel()
            columns[rows] = self.shortlist_size + number
            log_probs = log_softmax(self.tail[number](input_.index_select(0, rows)), dim=1)
            columns_inside = (target_[rows] - first).unsqueeze(1)
            inside = inside.index_copy(0, rows, log_probs.gather(1, columns_inside).squeeze(1))
        if seen != target_.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target_.min().item()}, {target_.max().item()}] were found. "
            )
        output = inside + log_softmax(head_output, dim=1).gather(1, columns.unsqueeze(1)).squeeze(1)
        return _ASMoutput(output, (-output).mean())

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        """Return the log probabilities of all classes for an output of `head`."""
        head = log_softmax(head_output, dim=1)
        size = self.shortlist_size
        clusters = [
            log_softmax(tail(input), dim=1) + head[:, size + number].unsqueeze(1)
            for number, tail in enumerate(self.tail)
        ]
        return wengert.cat([head[:, :size], *clusters], dim=1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log probabilities of all classes: ``(N, n_classes)``."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each input: ``log_prob(input).argmax(1)``, computed where it must be."""
        head_output = self.head(input)
        output = wengert.argmax(head_output, dim=1)
        rare = output >= self.shortlist_size
        if rare.any():
            output[rare] = wengert.argmax(self._get_full_log_prob(input[rare], head_output[rare]), dim=1)
        return output


def check_cutoffs(cutoffs: list[int], n_classes: int) -> None:
    """Raise the error for cutoffs that do not cut the classes into a shortlist and clusters."""
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    if (
        cutoffs != sorted(set(cutoffs))
        or cutoffs[0] <= 0
        or cutoffs[-1] > n_classes - 1
        or any(int(cutoff) != cutoff for cutoff in cutoffs)
    ):
        raise ValueError(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value "
            f"is between 1 and n_classes-1, got {cutoffs} for {n_classes} classes"
        )


def check_target(input: Tensor, target: Tensor) -> None:
    """Raise the error for an input and classes that do not belong together."""
    dim = target.dim()
    if dim > 1:
        raise RuntimeError(f"0D or 1D target tensor expected, multi-target not supported, got {dim}D")
    if dim == 1 and input.size(0) != target.size(0):
        raise RuntimeError(
            "Input and target should have the same size in the batch dimension: "
            f"got {input.size(0)} and {target.size(0)}."
        )
    if input.dim() != dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with size {input.size()}"
        )
