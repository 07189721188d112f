"""Quantiles: quantile and nanquantile, made of a sort and a weighted mean of two neighbors."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.out_argument import into
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.messages.signatures import invalid_combination
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops, composite = TABLE.ops, TABLE.composite
INT64 = DTYPES["int64"]
WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def check_quantile(name: str, input: Tensor, q: Tensor | float, interpolation: str) -> None:
    """What both refuse."""
    if interpolation not in WAYS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if not isinstance(q, (Tensor, int, float)):
        raise invalid_combination(name, (input, q), "(Tensor input, Tensor q), (Tensor input, float q)")
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty, got the shape {list(input.shape)}")
    if input.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype, got {input.dtype}")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {float(q):g}")
        return
    if q.dim() > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor, got {q.dim()} dims")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor: {input.dtype}, got {q.dtype}")
    q = every_sample(q)
    if not ((q >= 0) & (q <= 1)).all().item():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1], got {q.tolist()}")


def ranks_of(q: Tensor, ordered: Tensor, ignore_nan: bool) -> Tensor:
    """Where in order each quantile is, as a real number: [..., quantiles]. A NaN's place where one decides."""
    missing = ordered.isnan()
    if ignore_nan:
        last = (ordered.size(-1) - 1 - missing.sum(-1, keepdim=True)).clamp(min=0)
        return q * last.to(q.dtype)
    ranks = q * (ordered.size(-1) - 1)
    return ops["where"](missing.any(-1, keepdim=True), float(ordered.size(-1) - 1), ranks)


def interpolate_ranks(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """The elements at ranks, between two of them as asked."""
    gather = ops["gather"]
    if interpolation in ("lower", "higher", "nearest"):
        way = {"lower": "floor", "higher": "ceil", "nearest": "round"}[interpolation]
        return gather(ordered, -1, ops[way](ranks).to(INT64))
    below = ops["floor"](ranks)
    weights = ops["full_like"](ranks, 0.5) if interpolation == "midpoint" else ranks - below
    low, high = (gather(ordered, -1, position.to(INT64)) for position in (below, ops["ceil"](ranks)))
    return ops["lerp"](low, high, weights)


def quantiles(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, out: Tensor | None
) -> Tensor:
    """Both functions. The quantiles are the result's first dim when q is a vector."""
    check_quantile(name, input, q, interpolation)
    ordered = in_order(input, dim, keepdim)
    amounts = q.reshape(-1) if isinstance(q, Tensor) else input.new_full((1,), float(q))
    ranks = ranks_of(amounts, ordered, name == "nanquantile").expand(*ordered.shape[:-1], amounts.numel())
    found = interpolate_ranks(ordered, ranks, interpolation)
    if isinstance(q, Tensor) and q.dim() == 1:
        found = ops["transpose_"](ops["unsqueeze_"](found, 0), 0, -1)
    found = ops["squeeze_"](found, -1)
    return found if out is None else into(name, found, out)


def in_order(input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The elements in order along the last dim; in front of it the dims of one quantile."""
    rank = input.dim()
    if dim is None or rank == 0:
        if dim is not None:
            ops["sum"](input, dim)  # refuses a dim out of range
        ordered: Tensor = ops["sort"](input.reshape(-1), -1)[0]
        return ordered.view([1] * rank + [ordered.numel()]) if keepdim and rank else ordered
    size = input.size(dim)  # IndexError out of range
    dim %= rank
    if dim == rank - 1:
        ordered = ops["sort"](input, -1)[0]
    else:
        ordered = ops["sort"](input.unsqueeze(-1).transpose(dim, -1), -1)[0]
    shape = [1 if d == dim else n for d, n in enumerate(input.shape)]
    return ordered.view([*(shape if keepdim else shape[:dim] + shape[dim + 1 :]), size])


@composite
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    return quantiles("quantile", input, q, dim, keepdim, interpolation, out)


@composite
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    return quantiles("nanquantile", input, q, dim, keepdim, interpolation, out)


TABLE.methods |= {name: ops[name] for name in ("quantile", "nanquantile")}
