"""ctc_loss: how unlikely a sequence of labels is, over all alignments with a longer sequence (Graves et al., 2006).

Logarithms of probabilities are kept above IMPOSSIBLE, a finite number, so that no derivative is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert_core.checks import each_sample, is_batched
from wengert_core.factories import invalid_combination, not_for
from wengert_core.ops.beside import beside
from wengert_core.ops.loss_reduction import reduction_of
from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
IMPOSSIBLE = -1e30


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
        raise not_for("ctc_loss_cpu", log_probs.dtype)
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


def alignments(logs: Tensor, labels: Any, blank: int, inputs: Any, outputs: Any) -> Tensor:
    """The logarithm of the sum over all alignments, for each of the batch. logs: [time, batch, classes]."""
    steps, batch = logs.size(0), logs.size(1)
    extended = np.full((batch, 2 * labels.shape[1] + 1), blank)
    extended[:, 1::2] = labels
    skips = np.zeros(extended.shape, bool)  # from two places before, past a blank between different labels
    skips[:, 2:] = (extended[:, 2:] != blank) & (extended[:, 2:] != extended[:, :-2])
    width = extended.shape[1]
    at = logs.gather(2, beside(logs, extended).unsqueeze(0).expand(steps, batch, width))
    at = where(at < IMPOSSIBLE, IMPOSSIBLE, at)
    before = logs.new_full((batch, 2), IMPOSSIBLE)
    skip = beside(logs, skips)
    state = where(beside(logs, np.arange(width) < 2), at[0], IMPOSSIBLE) if steps else logs.new_full((batch, width), 0)
    even = len(inputs) == 0 or bool((inputs == steps).all())
    for t in range(1, steps):
        shifted = ops["cat"]([before, state], 1)
        paths = ops["logaddexp"](state, shifted[:, 1:-1])
        paths = ops["logaddexp"](paths, where(skip, shifted[:, :-2], IMPOSSIBLE)) + at[t]
        state = paths if even else where(beside(logs, t < inputs).unsqueeze(1), paths, state)
    return ending(state, inputs, outputs)


def ending(state: Tensor, inputs: Any, outputs: Any) -> Tensor:
    """At the end only the last label and the blank behind it count; without any time only no labels are possible."""
    last = beside(state, 2 * outputs).unsqueeze(1)
    ends = state.gather(1, last).squeeze(1)
    previous = state.gather(1, (last - 1).clamp_min(0)).squeeze(1)
    total = where(beside(state, outputs > 0), ops["logaddexp"](ends, previous), ends)
    nothing = beside(state, np.where(outputs == 0, 0.0, IMPOSSIBLE)).to(state.dtype)
    return where(beside(state, inputs == 0), nothing, total)


def held(x: Tensor) -> Tensor:
    """x - x: it is 0, but has the derivative of x."""
    return x - x.detach() if hasattr(x, "detach") else x - x


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-log of the probability of targets, over all alignments with log_probs [time, batch, classes].

    targets: [batch, labels], or the labels of all one after the other. blank: the class that stands for no label.
    zero_infinity: 0 where there is no alignment (the input is too short), and not inf. A mean is one of losses that
    are divided by the lengths of their targets.

    The derivative by log_probs is PyTorch's: it is right for what log_softmax gives, whose exp sums up to 1.
    """
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
    labels = labels_of(targets, outputs, int(max(outputs, default=0)))
    losses = -alignments(logs, labels, blank, inputs, outputs)
    during = beside(logs, np.arange(logs.size(0))[:, None] < inputs).unsqueeze(2)
    losses = losses + held(where(during, logs, -np.inf).exp().sum((0, 2)))
    lost = losses > -IMPOSSIBLE / 2
    losses = where(lost, 0, losses) if zero_infinity else losses * where(lost, np.inf, 1.0)  # whose gradient is NaN
    if reduction == "mean":
        return (losses / beside(losses, np.maximum(outputs, 1)).to(losses.dtype)).mean()
    if reduction == "sum":
        return losses.sum()
    return losses.squeeze(0) if single else losses


TABLE.composite(ctc_loss, namespace="nn.functional")
