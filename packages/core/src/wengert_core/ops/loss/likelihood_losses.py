"""Losses of distributions: kl_div, and minus the log-likelihood of counts and of normal distributions."""

from __future__ import annotations

import math

from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.dtypes.dtypes import promote_types
from wengert_core.ops.loss.reduction_argument import reduce_loss, reduction_of
from wengert_core.ops.pointwise.composed_activations import at_least
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
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
    loss = reduce_loss(loss, reduction)
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
    if not isinstance(full, bool):
        raise TypeError(f"poisson_nll_loss(): argument 'full' (position 4) must be bool, not {type(full).__name__}")
    reduction = reduction_of(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduce_loss(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor | float,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
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
    bounded = at_least(var, 1.0 * eps)
    loss = 0.5 * (bounded.log() + (input - target).square() / bounded)
    return reduce_loss(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


for function in (kl_div, poisson_nll_loss, gaussian_nll_loss):
    TABLE.composite(function, namespace="nn.functional")
