"""Covariances and correlations of variables, which are rows."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import check_tensor
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import SCALAR_NAMES
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

composite, ops = TABLE.composite, TABLE.ops


def check_weights(name: str, weights: Tensor, count: int, integral: bool) -> None:
    """What is refused as weights of observations."""
    if weights.dim() > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.dim()} dimensions"
        )
    if (weights.dtype.category == 1) != integral or weights.dtype.category > 2:
        kind = "integral" if integral else "floating point"
        raise RuntimeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with {SCALAR_NAMES[weights.dtype.code]} dtype"
        )
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {count}"
        )
    if (every_sample(weights) < 0).any().item():
        raise RuntimeError(f"cov(): {name} cannot be negative")


def as_rows(name: str, input: Tensor) -> Any:
    """Variables as rows, observations as columns."""
    check_tensor(name, input, "input")
    if input.dim() > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )
    if input.dtype.name == "bool":
        raise RuntimeError(f"{name}(): bool dtype is not supported for input")
    return input if input.dim() == 2 else input.reshape(1, -1)


def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    rows = as_rows("cov", input)
    count = rows.shape[1]
    for name, weights, integral in (("fweights", fweights, True), ("aweights", aweights, False)):
        if weights is not None:
            check_weights(name, weights, count, integral)
    w = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = count if w is None else w.sum()
    if w is not None and not every_sample(total).all().item():
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (rows if w is None else rows * w).sum(1, keepdim=True) / total
    if correction and aweights is not None:
        left = total - correction * (w * aweights).sum() / total
    else:
        left = total - correction
    if (every_sample(left) <= 0).any().item() if isinstance(left, Tensor) else left <= 0:
        warn_user(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
        left = left.clamp_min(0) if isinstance(left, Tensor) else 0
    centered = rows - mean
    result = ops["matmul"](centered, ops["adjoint"](centered if w is None else centered * w)) / left
    return result.squeeze()


def corrcoef(input: Tensor) -> Any:
    as_rows("corrcoef", input)
    c = cov(input)
    if c.dim() == 0:
        return c / c
    d = ops["real"](c.diagonal()).sqrt()
    c = c / d.unsqueeze(-1) / d
    if c.dtype.category == 3:
        return ops["complex"](ops["real"](c).clamp(-1, 1), ops["imag"](c).clamp(-1, 1))
    return c.clamp(-1, 1)


for METHOD in (cov, corrcoef):
    composite(METHOD, method=True)
