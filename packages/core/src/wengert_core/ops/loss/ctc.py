"""ctc_loss: how unlikely a sequence of labels is, over all alignments with a longer sequence (Graves et al., 2006).

Logarithms of probabilities are kept above IMPOSSIBLE, a finite number, so that no derivative is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert_core.drivers.pointwise.pointwise_checks import each_sample, is_batched
from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.dtypes.dtypes import ALL
from wengert_core.exchange.constants import constant_like
from wengert_core.messages.signatures import invalid_combination
from wengert_core.ops.loss.reduction_argument import reduction_of
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
IMPOSSIBLE = -1e30
INT64 = ALL["int64"]


def lengths_of(name: str, lengths: Tensor | Sequence[int], batch: int) -> Any:
    """Lengths as an array of int64; RuntimeError for the wrong count."""
    found = np.asarray(lengths.tolist() if isinstance(lengths, Tensor) else lengths, np.int64).reshape(-1)
    if isinstance(lengths, Tensor) and lengths.dtype.category != 1:
        raise RuntimeError(f"{name} must be integral, got {lengths.dtype}")
    if len(found) != batch:
        raise RuntimeError(f"{name} must be of size batch_size: expected {batch}, got {len(found)}")
    return found


def labels_of(targets: Tensor, lengths: Any, longest: int) -> Any:
    """The labels as rows [batch, longest], from such rows or from all of them one after the other."""
    given = np.asarray(targets.tolist(), np.int64)
    rows = np.zeros((len(lengths), longest), np.int64)
    if targets.dim() > 1:
        if targets.size(0) != len(lengths) or targets.size(1) < longest:
            raise RuntimeError(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size {list(targets.shape)} "
                "for argument #2 'targets' (while checking arguments for ctc_loss_cpu)"
            )
        return given.reshape(targets.shape)[:, :longest]
    if given.size != lengths.sum():
        raise RuntimeError(
            f"Expected tensor to have size {lengths.sum()} at dimension 0, but got size {given.size} for argument #2 "
            "'targets' (while checking arguments for ctc_loss_cpu)"
        )
    for row, start, n in zip(rows, np.cumsum(lengths) - lengths, lengths, strict=True):
        row[:n] = given[start : start + n]
    return rows


def check_ctc(log_probs: Tensor, targets: Tensor, blank: int, inputs: Any, outputs: Any) -> None:
    """What ctc_loss refuses."""
    if log_probs.dtype.name not in ("float32", "float64"):
        raise not_implemented_for("ctc_loss_cpu", log_probs.dtype)
    if targets.dtype.name not in ("int32", "int64"):
        raise RuntimeError(f"Expected targets to be int32 or int64, got {targets.dtype}")
    if not 0 <= blank < log_probs.size(-1):
        raise RuntimeError(f"blank must be in label range: got {blank} for {log_probs.size(-1)} classes")
    if len(inputs) and inputs.min() < 0:
        raise RuntimeError("input_lengths must be non-negative")
    if len(inputs) and inputs.max() > log_probs.size(0):
        at = int(np.argmax(inputs))
        raise RuntimeError(
            f"Expected input_lengths to have value at most {log_probs.size(0)}, but got value {inputs[at]} "
            f"(while checking arguments for ctc_loss_cpu, batch element {at})"
        )
    if len(outputs) and outputs.min() < 0:
        at = int(np.argmin(outputs))
        raise RuntimeError(
            f"Expected target_lengths to have value at least 0, but got value {outputs[at]} (while checking arguments "
            "for ctc_loss_cpu)"
        )


class Alignments:
    """All alignments of labels with times, as chains of places: a blank, a label, a blank, ... Arrays, none of tensors.

    index: of each step's places in the flat log_probs, [time, batch, place].   skips: places that may follow the one
    before the last, past a blank between different labels.
    """

    places: Any
    index: Any
    skips: Any

    def __init__(self, logs: Tensor, targets: Tensor, inputs: Any, outputs: Any, blank: int) -> None:
        self.steps, self.batch, self.classes = logs.shape
        self.inputs, self.outputs, self.blank = np.asarray(inputs, np.int64), np.asarray(outputs, np.int64), blank
        self.read(logs, targets, max(outputs, default=0), outputs)

    def read(self, logs: Tensor, targets: Tensor, longest: int, outputs: Any) -> None:
        """Read the labels. RuntimeError for wrong ones."""
        labels = labels_of(targets, self.outputs, longest)
        if longest and min(outputs) < longest:
            labels[np.arange(longest) >= self.outputs[:, None]] = self.blank  # what is behind is not looked at
        if (labels.view(np.uint64) >= self.classes).any():
            wrong = next(label for label in labels.flat if not 0 <= label < self.classes)
            raise RuntimeError(
                f"index {wrong} is out of bounds for dimension 2 with size {self.classes}: targets are classes"
            )
        self.places = np.full((self.batch, 2 * longest + 1), self.blank)
        self.places[:, 1::2] = labels
        self.times = np.arange(self.steps)[:, None]
        self.index = self.at(self.times, self.places)
        self.skips = self.skipping(self.places)

    def at(self, times: Any, places: Any) -> Any:
        """Where a step's places are in the flat log_probs: [time, batch, place]. times: [time, batch or 1]."""
        return ((times * self.batch + np.arange(self.batch)) * self.classes)[..., None] + places

    def state_at(self, times: Any) -> Any:
        """Where the first places are in flat states [time, batch, place]."""
        return (times * self.batch + np.arange(self.batch)) * self.places.shape[1]

    def ends(self) -> tuple[Any, Any]:
        """Where the last place at the last time is in flat states, and the one before it."""
        last = self.state_at(np.maximum(self.inputs - 1, 0)) + 2 * self.outputs
        return last, last - (self.outputs > 0)

    def skipping(self, places: Any) -> Any:
        """Which places may follow the one before the last."""
        skips = np.zeros(places.shape, bool)
        skips[:, 2:] = (places[:, 2:] != self.blank) & (places[:, 2:] != places[:, :-2])
        return skips

    def during(self, logs: Tensor) -> Any:
        """Whether a time is one of a sample's: [time, batch, 1]."""
        return constant_like(logs, (self.times < self.inputs)[..., None])


class TensorAlignments(Alignments):
    """Alignments whose labels are never read on the host: places, index and skips are tensors of the logs' device.

    So a graph, or a program that is recorded, does not depend on the labels. The lengths are numbers, and the labels
    are known to be classes.
    """

    logs: Tensor

    def read(self, logs: Tensor, targets: Tensor, longest: int, outputs: Any) -> None:
        self.logs, self.times = logs, np.arange(self.steps)[:, None]
        labels = self.rows_of(targets.to(logs.device), longest).to(INT64)
        blanks = self.constant(np.full((self.batch, longest), self.blank))
        is_label = self.constant(np.arange(longest) < self.outputs[:, None])
        pairs = ops["stack"]((where(is_label, labels, blanks), blanks), 2).reshape(self.batch, 2 * longest)
        self.places = ops["cat"]((self.constant(np.full((self.batch, 1), self.blank)), pairs), 1)
        self.index, self.skips = self.at(self.times, self.places), self.skipping(self.places)

    def constant(self, array: Any) -> Any:
        return constant_like(self.logs, array)

    def rows_of(self, targets: Tensor, longest: int) -> Any:
        """The labels as rows [batch, longest]; there is something else behind the end of shorter ones."""
        if targets.dim() > 1:
            return targets.narrow(1, 0, longest)
        if not longest:
            return targets.reshape(self.batch, 0)
        starts = (np.cumsum(self.outputs) - self.outputs)[:, None]
        return ops["take"](targets, self.constant(np.minimum(starts + np.arange(longest), targets.numel() - 1)))

    def at(self, times: Any, places: Any) -> Any:
        return self.constant(super().at(times, np.zeros(1, np.int64))) + places

    def skipping(self, places: Any) -> Any:
        width = places.size(1)
        none = self.constant(np.zeros((self.batch, min(2, width)), bool))
        if width < 3:
            return none
        later, earlier = places.narrow(1, 2, width - 2), places.narrow(1, 0, width - 2)
        return ops["cat"]((none, (later != self.blank) & (later != earlier)), 1)

    def reverse(self) -> tuple[Any, Any, Any]:
        """index and skips of the alignments read from their ends, and where each place's state is in theirs."""
        last = np.maximum(2 * self.outputs[:, None] - np.arange(self.places.shape[1]), 0)
        times = np.maximum(self.inputs - 1 - self.times, 0)
        places = self.places.gather(1, self.constant(last))
        return self.at(times, places), self.skipping(places), self.constant(self.state_at(times)[..., None] + last)


def chances(logs: Tensor, index: Tensor, skip: Tensor) -> tuple[Any, Any]:
    """The logarithms of the probabilities of each step's places, and of all ways that lead there."""
    at = ops["take"](logs, index)
    at = where(at < IMPOSSIBLE, IMPOSSIBLE, at)
    batch, width = skip.shape
    before = logs.new_full((batch, 2), IMPOSSIBLE)
    steps = at.unbind(0)
    state = where(constant_like(logs, np.arange(width) < 2), steps[0], IMPOSSIBLE)
    states = [state]
    cat, logaddexp = ops["cat"], ops["logaddexp"]
    for step in steps[1:]:
        shifted = cat((before, state), 1)
        paths = logaddexp(state, shifted.narrow(1, 1, width))
        state = logaddexp(paths, where(skip, shifted.narrow(1, 0, width), IMPOSSIBLE)) + step
        states.append(state)
    return at, ops["stack"](states)


def loss_stages(logs: Tensor, targets: Tensor, inputs: Any, outputs: Any, blank: int, zero_infinity: bool) -> Tensor:
    """The stages of _ctc_loss. At the end only the last label and the blank behind it count."""
    chains = Alignments(logs, targets, inputs, outputs, blank)
    states = chances(logs, constant_like(logs, chains.index), constant_like(logs, chains.skips))[1]
    total, before = (ops["take"](states, constant_like(logs, end)) for end in chains.ends())
    both = ops["logaddexp"](total, before)
    total = both if all(outputs) else where(constant_like(logs, chains.outputs > 0), both, total)
    if not all(inputs):  # without any time only no labels are possible
        nothing = np.where(chains.outputs == 0, 0.0, IMPOSSIBLE)
        total = where(constant_like(logs, chains.inputs == 0), constant_like(logs, nothing).to(logs.dtype), total)
    return where(total < IMPOSSIBLE / 2, math.inf, -total)


def loss_slope(
    logs: Tensor, targets: Tensor, inputs: Any, outputs: Any, blank: int, zero_infinity: bool, losses: Tensor
) -> Any:
    """The derivative of each loss by its log_probs: the probabilities less those that the labels leave.

    Where a loss is infinite NaN, or 0. In ordinary ops, which differentiate again.
    """
    chains = TensorAlignments(logs, targets, inputs, outputs, blank)
    index, skips, back = chains.reverse()
    at, states = chances(logs, ops["cat"]((chains.index, index), 1), ops["cat"]((chains.skips, skips), 0))
    forth, back_states = (states.narrow(1, k * chains.batch, chains.batch) for k in (0, 1))
    passing = forth + ops["take"](back_states, back) - at.narrow(1, 0, chains.batch)
    inside = constant_like(logs, np.arange(skips.shape[1]) <= 2 * chains.outputs[:, None])
    shares = where(inside, passing, -math.inf).softmax(2)
    classes = chains.places.expand(index.shape)
    slope = logs.exp() - ops["zeros_like"](logs).scatter_add(2, classes, shares)
    slope = where(losses.unsqueeze(1) == math.inf, 0 if zero_infinity else math.nan, slope)
    return where(chains.during(logs), slope, 0)


def array_losses(
    xp: Any, logs: Any, targets: Any, inputs: Any, outputs: Any, blank: int, zero_infinity: bool = False
) -> Any:
    """The reference of _ctc_loss: sums of probabilities, one sample after the other."""
    starts = xp.concatenate([[0], xp.cumsum(xp.asarray(outputs, "int64"))])
    losses = []
    for n, (steps, count) in enumerate(zip(inputs, outputs, strict=True)):
        labels = targets[n, :count] if targets.ndim > 1 else targets[starts[n] : starts[n + 1]]
        places = xp.full(2 * count + 1, blank)
        places[1::2] = labels
        skips = (places[2:] != blank) & (places[2:] != places[:-2])
        states = xp.where(xp.arange(len(places)) == 0, 1.0, 0.0)
        for t in range(steps):
            each = xp.copy(states)
            each[1:] += states[:-1] if t or count else 0
            each[2:] += xp.where(skips, states[:-2], 0) if t else 0
            states = each * xp.exp(logs[t, n][places])
        losses.append(-xp.log(states[-2:].sum() if steps or not count else 0.0))
    return xp.asarray(losses, logs.dtype)


ctc_op = TABLE.staged(
    "ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank, "
    "bool zero_infinity) -> (Tensor result0)",
    stages=loss_stages,
    reference=array_losses,
    key="_ctc_loss",
    method=False,
    out=False,
    doc="Minus the logarithm of the sum over all alignments, for each of the batch; inf where there is none.",
)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    if is_batched(targets, input_lengths, target_lengths):
        return each_sample(
            "ctc_loss", ctc_loss, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    if isinstance(input_lengths, Tensor) is not isinstance(target_lengths, Tensor):
        raise invalid_combination(
            "ctc_loss",
            (log_probs, targets, input_lengths, target_lengths),
            "lengths that are both tensors, or both tuples of ints",
        )
    reduction = reduction_of(None, None, reduction)
    if not log_probs.numel():
        raise RuntimeError(f"log_probs tensor must not be empty: got the shape {list(log_probs.shape)}")
    if log_probs.dim() not in (0, 2, 3):  # of a number the next line says that it has no dims
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim() + 1}-dimensional tensor for argument #1 "
            "'log_probs' (while checking arguments for ctc_loss_allocate_outputs)"
        )
    single = log_probs.dim() == 2
    logs = log_probs.unsqueeze(1) if single else log_probs
    inputs = lengths_of("input_lengths", input_lengths, logs.size(1))
    outputs = lengths_of("target_lengths", target_lengths, logs.size(1))
    check_ctc(log_probs, targets, blank, inputs, outputs)
    losses = ctc_op(logs, targets, inputs.tolist(), outputs.tolist(), blank, zero_infinity)
    if zero_infinity:
        losses = where(losses == math.inf, 0, losses)
    if reduction == "mean":
        return (losses / constant_like(losses, np.maximum(outputs, 1)).to(losses.dtype)).mean()
    if reduction == "sum":
        return losses.sum()
    return losses.squeeze(0) if single else losses


TABLE.composite(ctc_loss, namespace="nn.functional")
