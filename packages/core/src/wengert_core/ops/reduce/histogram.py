"""Counting values: bincount, histograms, the most frequent value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import check_factor
from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.dtypes.dtypes import C_NAMES, SCALAR_NAMES, dtype_by_name
from wengert_core.messages.signatures import invalid_combination
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import BOOL, FLOATING, INTEGRAL
from wengert_core.tensors.named_tuple import result_type
from wengert_core.tensors.tensor import Tensor

ops, composite = TABLE.ops, TABLE.composite


MOST = 2**60
"""Counts that no memory holds: as many are refused before NumPy adds 1 to their number."""


def check_counts(counts: int) -> None:
    """RuntimeError for more counts than there can be."""
    if counts > MOST:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes=[{counts}]: at most {MOST} counts of 8 bytes can be made"
        )


# ---- whole numbers
def numbers_of(xp: Any, x: Any, weights: Any, minlength: int) -> Any:
    """The reference of bincount."""
    if x.dtype.kind not in "iu":
        raise NotImplementedError(
            f"\"bincount_cpu\" not implemented for '{CPP_NAMES[x.dtype.name]}': it takes integers"
        )
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, got {minlength}")
    if x.ndim != 1 or (x.size and once(x).min() < 0):
        raise RuntimeError(
            "bincount only supports 1-d non-negative integral inputs. Got a tensor of shape "
            f"{list(x.shape)}{f' with the minimum {once(x).min()}' if x.size else ''}"
        )
    most = int(once(x).max()) if x.size else 0
    if most == 2**63 - 1:
        raise RuntimeError(f"maximum value of input overflowed, it should be < {most} but got {most}")
    check_counts(max(most + 1, minlength))
    if weights is None or not x.size:
        return xp.bincount(x.astype(xp.int64), minlength=minlength)
    if weights.shape != x.shape:
        raise RuntimeError(
            f"weights should be 1-d and have the same length as input. Got {list(weights.shape)} for {list(x.shape)}"
        )
    counted = xp.bincount(x.astype(xp.int64), weights.real.astype(xp.float64), minlength)
    return counted.astype(xp.float32 if weights.dtype == xp.float32 else xp.float64)


TABLE.array(
    "bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor",
    reference=numbers_of,
    results=("array",),
    kernel="count",
    widen="float64",
)


def once(x: Any) -> Any:
    """An array that has each element of another: an expanded dim, of 2**40 perhaps, is read once."""
    return x[tuple(slice(1) if stride == 0 else slice(None) for stride in x.strides)]


# ---- histograms
def edges_between(xp: Any, x: Any, low: float, high: float, name: str) -> tuple[float, float]:
    """The ends of the bins: those given, or of the data; a range of one point is widened."""
    if low == high and x.size:
        seen = once(x)
        low, high = float(seen.min()), float(seen.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"{name} [{low:g}, {high:g}] is not finite")
    return (low - 1, high + 1) if low == high and name.startswith("torch.histc") else (low, high)


def bins_of(xp: Any, x: Any, bins: int, low: float, high: float) -> tuple[Any, Any]:
    """(the numbers of the bins of values, a mask of those inside): bins of one width, the last one closed."""
    inside = (x >= low) & (x <= high)
    if high / 2 - low / 2 > xp.finfo(x.dtype).max / 2:  # halves have a difference that the dtype holds
        x, low, high = x / 2, low / 2, high / 2
        number = ((xp.where(inside, x, low) - low) / (high - low) * bins).astype(xp.int64)
    else:
        number = ((xp.where(inside, x, low) - low) * (bins / (high - low) if high > low else 0)).astype(xp.int64)
    return xp.minimum(number, bins - 1), inside


def check_bins(bins: int, dim: int = 0) -> None:
    """RuntimeError unless there is one, and memory for the counts can be asked for."""
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")
    check_counts(bins)


def histogram_of_range(xp: Any, x: Any, bins: int, low: float, high: float) -> Any:
    """The reference of histc."""
    if x.dtype.kind != "f":
        raise NotImplementedError(
            f"\"histogram_cpu\" not implemented for '{CPP_NAMES[x.dtype.name]}': it takes floating tensors"
        )
    check_bins(bins)
    for bound in (low, high):
        check_factor(bound, dtype_by_name(x.dtype.name))
    if low > high:
        raise RuntimeError(f"torch.histc: max must be larger than min, got min {low} and max {high}")
    low, high = edges_between(xp, x, low, high, "torch.histc: range of")
    number, inside = bins_of(xp, x.reshape(-1), bins, low, high)
    return xp.bincount(number[inside], minlength=bins).astype(x.dtype)


TABLE.array(
    "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0, *, Tensor? out=None) -> Tensor",
    reference=histogram_of_range,
    no_record=True,
)


def numbers_between(xp: Any, x: Any, edges: Any, equal: bool) -> tuple[Any, Any]:
    """(the numbers of the intervals of values, a mask of those inside): the last is closed. equal: of one width."""
    bins = len(edges) - 1
    if equal:
        return bins_of(xp, x, bins, edges[0], edges[-1])
    number = xp.where(x == edges[-1], bins - 1, xp.searchsorted(edges, x, side="right") - 1)
    return number, (x >= edges[0]) & (x <= edges[-1])


def weighted_histogram(xp: Any, x: Any, edges: Any, weight: Any, density: bool, equal: bool) -> Any:
    """The sums of weights between edges; a density's integral is 1."""
    number, inside = numbers_between(xp, x.reshape(-1), edges, equal)
    weights = None if weight is None else weight.reshape(-1)[inside]
    counts = xp.bincount(number[inside], weights, len(edges) - 1).astype(x.dtype)
    return counts / (counts.sum() * xp.diff(edges)) if density else counts


histogram_op = TABLE.array(
    "_histogram(Tensor self, Tensor edges, Tensor? weight, bool density, bool equal) "
    "-> (Tensor hist, Tensor bin_edges)",
    reference=lambda xp, x, edges, *rest: (weighted_histogram(xp, x, edges, *rest), xp.array(edges)),
    results=("same", "same"),
    method=False,
    doc="The sums of weights between edges, and the edges.",
)


def check_edges(kind: Any, edges: Tensor, dim: int = 0) -> None:
    """RuntimeError for edges of a dimension that no histogram has. kind: the dtype of the input."""
    if edges.dtype is not kind:
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
            f"{kind.name} and bins for dimension {dim} with dtype {edges.dtype.name}"
        )
    if edges.dim() != 1:
        raise RuntimeError(
            f"torch.histogramdd: bins tensor should have one dimension, but got {edges.dim()} dimensions in the bins "
            f"tensor for dimension {dim}"
        )
    if not edges.numel():
        raise RuntimeError(
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
            f"dimension {dim}"
        )


def check_histogram(input: Tensor, bins: Any, range: Sequence[float] | None, weight: Tensor | None) -> None:
    """RuntimeError for arguments that do not fit each other, NotImplementedError for dtypes without a kernel."""
    kind = input.dtype
    if kind.category != 2 or (kind.itemsize == 2 and not isinstance(bins, Tensor) and range is None):
        raise NotImplementedError(
            f"\"histogramdd\" not implemented for '{SCALAR_NAMES[kind.code]}': it takes float32 and float64"
        )
    if isinstance(bins, Tensor):
        check_edges(kind, bins)
    if weight is not None and (weight.shape != input.shape or weight.dtype is not kind):
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, and its dtype, but got input with shape {[*input.shape, 1]} and "
            f"weight with shape {list(weight.shape)}"
        )


def equal_edges(input: Tensor, bins: int, range: Sequence[float] | None, dim: int = 0) -> Tensor:
    """bins + 1 edges at equal distances: in a range, or from the least to the largest element. dim: for errors."""
    check_bins(bins, dim)
    if range is None:
        low, high = (0.0, 1.0) if not input.numel() else (input.min().item(), input.max().item())
    else:
        low, high = range
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return ops["linspace"](low, high, bins + 1, dtype=input.dtype, device=input.device)


@composite
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    if isinstance(bins, bool):
        raise invalid_combination("histogram", (input, bins), "(Tensor input, Tensor bins) or (Tensor input, int bins)")
    check_histogram(input, bins, range, weight)
    equal = not isinstance(bins, Tensor)
    edges = equal_edges(input, bins, range) if equal else bins
    counts, edges = histogram_op(input, edges, weight, density, equal)
    if out is None:
        return result_type("histogram", ("hist", "bin_edges"))((counts, edges))
    for given, made, which in zip(out, (counts, edges), ("hist", "bin_edges"), strict=True):
        if given.dtype != input.dtype:
            raise RuntimeError(
                f"torch.histogram: input tensor and {which} tensor should have the same dtype, but got input "
                f"{C_NAMES[input.dtype.code]} and {which} {C_NAMES[given.dtype.code]}"
            )
        given.resize_(made.shape).copy_(made)
    return result_type("histogram_out", ("hist", "bin_edges"))(out)


# ---- the most frequent value
def most_frequent(xp: Any, x: Any, dim: int, keepdim: bool) -> Any:
    """The value that comes most often along a dim, the least of several, and its last place."""
    if x.shape[dim] == 0:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    last = xp.moveaxis(x, dim, -1)
    order = xp.argsort(last, axis=-1, kind="stable")
    values = xp.take_along_axis(last, order, -1)
    starts = xp.concatenate([xp.ones_like(values[..., :1], bool), values[..., 1:] != values[..., :-1]], -1)
    at = xp.arange(values.shape[-1])
    length = at - xp.maximum.accumulate(xp.where(starts, at, 0), -1)  # how many equal ones came before
    end = xp.argmax(length, -1)[..., None]
    pair = [xp.take_along_axis(a, end, -1) for a in (values, order)]
    return tuple(xp.moveaxis(a, -1, dim) if keepdim else a[..., 0] for a in pair)


TABLE.along(
    "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    reference=most_frequent,
    kernel=("order", ""),
    results=["same", "int64"],
    dtypes=BOOL + INTEGRAL + FLOATING,
)
TABLE.methods["histogram"] = histogram
