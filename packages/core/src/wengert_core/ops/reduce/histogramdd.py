"""Histograms of points: of several dimensions at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from wengert_core.dtypes.dtypes import SCALAR_NAMES
from wengert_core.messages.signatures import invalid_combination
from wengert_core.ops.reduce.histogram import check_counts, check_edges, equal_edges, numbers_between
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.named_tuple import result_type
from wengert_core.tensors.tensor import Tensor


def counted_points(
    xp: Any, points: Any, edges: Any, lengths: Sequence[int], weight: Any, density: bool, equal: bool
) -> Any:
    """The reference of histogramdd. edges: those of all dimensions, one after the other; lengths: how many each has."""
    parts = [edges[a:b] for a, b in pairwise(accumulate(lengths, initial=0))]
    cell, inside = xp.zeros(len(points), xp.int64), xp.full(len(points), len(parts) > 0)
    for dim, part in enumerate(parts):
        number, fits = numbers_between(xp, points[:, dim], part, equal)
        cell, inside = cell * (len(part) - 1) + xp.where(fits, number, 0), inside & fits
    shape = [n - 1 for n in lengths]
    weights = None if weight is None else weight[inside]
    cells = math.prod(shape)
    counts = xp.bincount(cell[inside], weights, cells)[:cells].astype(points.dtype).reshape(shape)
    if density:
        counts = counts / counts.sum()
        for dim, part in enumerate(parts):
            counts = counts / xp.diff(part).reshape([-1] + [1] * (len(parts) - 1 - dim))
    return counts


histogramdd_op = TABLE.array(
    "_histogramdd(Tensor self, Tensor edges, int[] lengths, Tensor? weight, bool density, bool equal) -> Tensor",
    reference=counted_points,
    method=False,
    doc="The sums of the weights of points, the rows of self, in the cells between edges.",
)


def check_points(input: Tensor, weight: Tensor | None) -> None:
    """Raise for points and weights that are none, or do not fit each other."""
    kind = input.dtype
    if not input.dim():
        raise IndexError("Dimension specified as -1 but tensor has no dimensions: histogramdd takes points, (..., n)")
    if input.dim() < 2:
        raise RuntimeError(
            "torch.histogramdd: input tensor should have at least 2 dimensions, the last of them those of the "
            f"histogram, but got the shape {list(input.shape)}"
        )
    if kind.category != 2 or kind.itemsize == 2:
        raise NotImplementedError(
            f"\"histogramdd\" not implemented for '{SCALAR_NAMES[kind.code]}': it takes float32 and float64"
        )
    if weight is not None and weight.shape != input.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {list(input.shape)} and weight with shape "
            f"{list(weight.shape)}"
        )
    if weight is not None and weight.dtype is not kind:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got input({SCALAR_NAMES[kind.code].lower()}), and weight"
            f"({SCALAR_NAMES[weight.dtype.code].lower()})"
        )


def given_edges(input: Tensor, bins: Sequence[Tensor]) -> list[Tensor]:
    """The edges that a call gives, checked."""
    if len(bins) != input.size(-1):
        raise RuntimeError(
            f"torch.histogramdd: expected {input.size(-1)} sequences of bin edges for a {input.size(-1)}-dimensional "
            f"histogram but got {len(bins)}"
        )
    for dim, edges in enumerate(bins):
        check_edges(input.dtype, edges, dim)
    return [edges.detach().clone() for edges in bins]


def made_edges(input: Tensor, bins: Any, range: Sequence[float] | None) -> list[Tensor]:
    """The edges of bins of one width. bins: their number, for all dimensions or for each."""
    n = input.size(-1)
    numbers = [bins] * n if isinstance(bins, int) else list(bins)
    if len(numbers) != n:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input. "
            f"Got {len(numbers)} for the shape {list(input.shape)}"
        )
    if range is not None and len(range) != 2 * n:
        raise RuntimeError(
            f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, but got "
            f"{len(range)}"
        )
    edges = []
    for dim, (column, number) in enumerate(zip(input.detach().unbind(-1), numbers, strict=True)):
        edges.append(equal_edges(column, number, None if range is None else range[2 * dim : 2 * dim + 2], dim))
    return edges


@TABLE.composite
def histogramdd(
    input: Tensor,
    bins: Any,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    listed: Sequence[Any] = bins if isinstance(bins, (list, tuple)) else ()
    given = any(isinstance(item, Tensor) for item in listed)
    if isinstance(bins, bool) or not isinstance(bins, (int, list, tuple)):
        raise invalid_combination(
            "histogramdd",
            (input, bins),
            "(Tensor input, int or tuple of ints bins) or (Tensor input, tuple of Tensors bins)",
        )
    for i, item in enumerate(listed):
        if isinstance(item, bool) or not isinstance(item, Tensor if given else int):
            raise TypeError(
                f"histogramdd(): expected {'Tensor' if given else 'int'} as element {i} in argument 1, but got "
                f"{type(item).__name__}"
            )
    check_points(input, weight)
    edges = given_edges(input, listed) if given else made_edges(input, bins, range)
    check_counts(math.prod(len(part) - 1 for part in edges))
    every = TABLE.ops["cat"](edges) if edges else input.new_zeros((0,))
    points, weights = input.flatten(0, -2), None if weight is None else weight.reshape(-1)
    counts = histogramdd_op(points, every, [len(part) for part in edges], weights, density, not given)
    return result_type("histogramdd", ("hist", "bin_edges"))((counts, tuple(edges)))
