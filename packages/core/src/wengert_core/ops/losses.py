"""Losses of numbers: mse_loss, l1_loss, huber_loss, binary cross entropies, kl_div and kin."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.caution import warn_user
from wengert_core.checks import every_sample
from wengert_core.dtypes import promote_types, type_name
from wengert_core.factories import CPP_NAMES
from wengert_core.losses import refuse_gradient
from wengert_core.ops.loss_reduction import reduced, reduction_of, warn_of_sizes, weighted
from wengert_core.ops.table import TABLE
from wengert_core.rows.base import FLOATING
from wengert_core.tensor import Tensor

where = TABLE.ops["where"]


def constant(x: Tensor) -> Tensor:
    """x without its history; core alone has none."""
    return x.detach() if hasattr(x, "detach") else x


def checked_floats(name: str, x: Tensor) -> Tensor:
    """x; NotImplementedError, in torch's words, unless it is floating."""
    if x.dtype.category != 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x)}'")
    return x


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared difference of each element, reduced."""
    if reduction != "mean" or size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    kinds = {input.dtype.name, target.dtype.name}
    if kinds == {"bool"}:
        checked_floats("mse_cpu", input)
    if "bool" in kinds:
        kind = promote_types(input.dtype, target.dtype)
        input, target = input.to(kind), target.to(kind)
    difference = input - target
    difference = checked_floats("mse_cpu", difference) if weight is None else difference
    return weighted(difference.square(), weight, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference of each element, reduced."""
    reduction = reduction_of(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    return weighted((input - target).abs(), weight, reduction)


def row(name: str, reference: Any, words: str) -> Any:
    """A pointwise row of input, target, and where the loss, or its slope, changes from one form to another."""
    return TABLE.pointwise_ternary(
        f"{name}(Tensor self, Tensor target, Scalar beta) -> Tensor",
        kernels=[name.removeprefix("_")],
        reference=reference,
        dtypes=FLOATING,
        n_promote=2,
        method=False,
        texts={"label": f"{name.strip('_')}_cpu"},
        inplace=False,
        doc=words,
    )


def smooth_l1(xp: Any, x: Any, target: Any, beta: Any) -> Any:
    """The reference of _smooth_l1."""
    size = abs(x - target)
    return xp.where(size < beta, size * size * (0.5 / beta), size - 0.5 * beta)


def smooth_l1_slope(xp: Any, x: Any, target: Any, beta: Any) -> Any:
    """The reference of _smooth_l1_slope."""
    gap = x - target
    return xp.where((abs(gap) < beta) | xp.isnan(gap), gap / beta, xp.sign(gap))


def huber(xp: Any, x: Any, target: Any, beta: Any) -> Any:
    """The reference of _huber."""
    size = abs(x - target)
    return xp.where(size <= beta, 0.5 * size * size, beta * (size - 0.5 * beta))


smooth_l1_op = row("_smooth_l1", smooth_l1, "smooth_l1_loss of each element.")
huber_op = row("_huber", huber, "huber_loss of each element.")
row("_smooth_l1_slope", smooth_l1_slope, "The derivative of _smooth_l1 with respect to self.")
row(
    "_huber_slope",
    lambda xp, x, target, beta: xp.clip(x - target, -beta, beta),
    "The derivative of _huber with respect to self.",
)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared below ``beta``, absolute above: continuous, with slope 1 far out."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not beta >= 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got {beta}")
    warn_of_sizes(input, target)
    return reduced(smooth_l1_op(input, target, beta) if beta else (input - target).abs(), reduction)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the square up to ``delta``, linear with slope ``delta`` beyond."""
    reduction = reduction_of(None, None, reduction)
    if not delta > 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got {delta}")
    warn_of_sizes(input, target)
    loss = huber_op(input, target, delta).to(input.dtype)
    if weight is not None and weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced(loss if weight is None else loss * weight, reduction)


# ---- binary cross entropies

LOG_LEAST = -100.0  # the logarithm of 0, so that a certain wrong answer costs much but not infinitely much


def bernoulli_entropy(xp: Any, x: Any, target: Any) -> Any:
    """-(target * log(x) + (1 - target) * log(1 - x)), each logarithm at least LOG_LEAST."""
    return (target - 1) * xp.maximum(xp.log1p(-x), LOG_LEAST) - target * xp.maximum(xp.log(x), LOG_LEAST)


entropy_op = TABLE.pointwise_binary(
    "_binary_cross_entropy(Tensor self, Tensor target) -> Tensor",
    kernels=["binary_cross_entropy"],
    reference=bernoulli_entropy,
    dtypes=FLOATING,
    method=False,
    inplace=False,
    doc="The binary cross entropy of each element; the logarithm of 0 counts as -100.",
)

TABLE.pointwise_binary(
    "_binary_cross_entropy_slope(Tensor self, Tensor target) -> Tensor",
    kernels=["binary_cross_entropy_slope"],
    reference=lambda xp, x, target: (x - target) / xp.maximum((1 - x) * x, 1e-12),
    dtypes=FLOATING,
    method=False,
    inplace=False,
    doc="The derivative of _binary_cross_entropy with respect to self; x (1 - x) counts as at least 1e-12.",
)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of probabilities, from 0 to 1, and targets."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
            "deprecated. Please "
            "ensure they have the same size."
        )
    if input.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {type_name(target)} but expected {type_name(input)}")
    checked_floats("binary_cross_entropy", input)
    seen = every_sample(input)
    if seen.numel() and not (seen.amin().item() >= 0 and seen.amax().item() <= 1):  # False for NaN
        raise RuntimeError(
            "all elements of input should be between 0 and 1: binary_cross_entropy takes probabilities; for any "
            "number use binary_cross_entropy_with_logits"
        )
    refuse_gradient("binary_cross_entropy", "weight", weight)
    loss = entropy_op(input, target)
    return reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The binary cross entropy of sigmoid(input), without overflow. pos_weight: of the targets that are 1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if input.dtype.category < 2:
        checked_floats("log_sigmoid_cpu", input)
    if target.dtype.category < 2:
        raise RuntimeError(
            f"result type {type_name(input)} can't be cast to the desired output type "
            f"{type_name(target)}: convert the target with .float()"
        )
    refuse_gradient("binary_cross_entropy_with_logits", "weight", weight)
    refuse_gradient("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
    logs = TABLE.ops["nn.functional.logsigmoid"](input)
    if pos_weight is not None:
        logs = (logs * ((pos_weight - 1) * target + 1)).to(logs.dtype)
    loss = ((1 - target) * input - logs).to(target.dtype)
    return reduced(loss if weight is None else loss * weight, reduction)


# ---- distributions


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The divergence of probabilities (``target``, or their logarithms) from log-probabilities (``input``)."""
    if reduction == "mean" and size_average is None and reduce is None:
        warn_user(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
            "divides only by "
            "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major release.")
    kind = promote_types(input.dtype, target.dtype)
    if input.dtype.category != 2 or target.dtype.category != 2:
        raise RuntimeError(f"kl_div: {'Complex' if kind.is_complex else 'Integral'} inputs not supported.")
    batch = reduction == "batchmean"
    reduction = "sum" if batch else reduction_of(size_average, reduce, reduction)
    loss = target.exp() * (target - input) if log_target else TABLE.ops["xlogy"](target, target) - target * input
    loss = reduced(loss, reduction)
    return loss / input.size(0) if batch and input.dim() else loss


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-likelihood of counts. full: with Stirling's approximation of the target's factorial."""
    if not isinstance(full, bool):
        raise TypeError(f"poisson_nll_loss(): argument 'full' (position 4) must be bool, not {type(full).__name__}")
    reduction = reduction_of(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor | float,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-likelihood of a normal distribution. full: with the constant."""
    reduction = reduction_of(None, None, reduction)
    if isinstance(var, int):
        kind = type(var).__name__
        raise TypeError(f"gaussian_nll_loss(): argument 'var' (position 3) must be Tensor or float, not {kind}")
    var = var if isinstance(var, Tensor) else TABLE.ops["full_like"](input, var)
    if var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = var.unsqueeze(-1)
        elif var.shape[:-1] != input.shape[:-1] or var.size(-1) != 1:
            raise ValueError("var is of incorrect size")
    if (every_sample(var) < 0).any().item():
        raise ValueError("var has negative entry/entries")
    if var.dtype.category < 2:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {CPP_NAMES[var.dtype.name]}")
    bounded = var + (1.0 * eps - constant(var)).clamp(min=0)  # at least eps; the slope is 1 below it too, as torch's
    loss = 0.5 * (bounded.log() + (input - target).square() / bounded)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# ---- margins


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where target is 1; what it lacks to ``margin`` where target is -1; elsewhere the sum of both."""
    reduction = reduction_of(size_average, reduce, reduction)
    loss = where(target == 1, 0, (1.0 * margin - input).clamp(min=0)) + where(target == -1, 0, input)
    return reduced(loss if input.dtype.category > 1 else loss.to(input.dtype), reduction)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """log(1 + exp(-target * input))."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse_gradient("soft_margin_loss", "target", target)
    if input.dtype.category != 2:
        loss = (-target * input).exp().log1p()
        if input.dtype.category < 2:
            raise RuntimeError(f"result type Float can't be cast to the desired output type {type_name(input)}")
        return reduced(loss, reduction)
    return reduced(-TABLE.ops["nn.functional.logsigmoid"](target * input).to(input.dtype), reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin)."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduced((-target * (input1 - input2) + float(margin)).clamp(min=0), reduction)


for function in (
    mse_loss,
    l1_loss,
    smooth_l1_loss,
    huber_loss,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    kl_div,
    poisson_nll_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    soft_margin_loss,
    margin_ranking_loss,
):
    TABLE.composite(function, namespace="nn.functional")
