"""Binary cross entropies of probabilities and of any numbers (logits), each one node of the graph."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.loss.nll_loss import refuse_gradient
from wengert_core.drivers.pointwise.pointwise_checks import every_sample, have_one_shape
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.loss.reduction_argument import NUMBERS, reduce_by_number, reduction_of
from wengert_core.ops.loss.regression import checked_floats
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.tensors.tensor import Tensor

logsigmoid = TABLE.ops["nn.functional.logsigmoid"]

# ---- of probabilities
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


def apply_weights(loss: Any, weight: Any, reduction: int) -> Any:
    """Weighted losses, or weighted arrays of them, reduced; the weights broadcast, and do not promote."""
    if weight is not None:
        product = loss * weight
        if product.shape != loss.shape:
            raise RuntimeError(
                f"output with shape {list(loss.shape)} doesn't match the broadcast shape {list(product.shape)}: "
                "the weights must broadcast to the input"
            )
        loss = product.to(loss.dtype) if isinstance(product, Tensor) else product.astype(loss.dtype)
    return reduce_by_number(loss, reduction)


loss_of_probabilities = TABLE.staged(
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
    stages=lambda input, target, weight, reduction: apply_weights(entropy_op(input, target), weight, reduction),
    reference=lambda xp, x, target, weight, reduction: apply_weights(
        bernoulli_entropy(xp, x, target), weight, reduction
    ),
    key="_binary_cross_entropy_loss",
    method=False,
    doc="The cross entropy of probabilities and targets; reduction: 0 none, 1 mean, 2 sum.",
)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if not have_one_shape(input, target):
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
    refuse_gradient("binary_cross_entropy", "weight", weight, "unbatched")
    if requires_gradient(weight):
        return apply_weights(entropy_op(input, target), weight, NUMBERS[reduction])
    return loss_of_probabilities(input, target, weight, NUMBERS[reduction])


def requires_gradient(weight: Tensor | None) -> bool:
    """Return whether a weight, or the batch that it is a sample of, requires a gradient: no single node has it."""
    return weight is not None and every_sample(weight).requires_grad


# ---- of logits
def entropies(input: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    """The stages of binary_cross_entropy_with_logits."""
    logs = logsigmoid(input)
    if pos_weight is not None:
        logs = (logs * ((pos_weight - 1) * target + 1)).to(logs.dtype)
    loss = (1 - target) * input - logs
    kind = target.dtype
    return apply_weights(loss if loss.dtype is kind else loss.to(kind), weight, reduction)


def logits_reference(xp: Any, x: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    """The same of arrays."""
    logs = -xp.logaddexp(0, -x)
    logs = logs if pos_weight is None else logs * ((pos_weight - 1) * target + 1)
    return apply_weights((1 - target) * x - logs, weight, reduction)


loss_of_logits = TABLE.staged(
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
    "int reduction=1) -> Tensor",
    stages=entropies,
    reference=logits_reference,
    key="_binary_cross_entropy_with_logits",
    method=False,
    doc="The cross entropy of sigmoid(self) and targets; reduction: 0 none, 1 mean, 2 sum.",
)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if not have_one_shape(input, target):
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if input.dtype.category < 2:
        checked_floats("log_sigmoid_cpu", input)
    if target.dtype.category < 2:
        raise RuntimeError(
            f"result type {type_name(input)} can't be cast to the desired output type "
            f"{type_name(target)}: convert the target with .float()"
        )
    refuse_gradient("binary_cross_entropy_with_logits", "weight", weight, "untransformed")
    refuse_gradient("binary_cross_entropy_with_logits", "pos_weight", pos_weight, "untransformed")
    if requires_gradient(weight) or requires_gradient(pos_weight):
        return entropies(input, target, weight, pos_weight, NUMBERS[reduction])
    return loss_of_logits(input, target, weight, pos_weight, NUMBERS[reduction])


for function in (binary_cross_entropy, binary_cross_entropy_with_logits):
    TABLE.composite(function, namespace="nn.functional")
