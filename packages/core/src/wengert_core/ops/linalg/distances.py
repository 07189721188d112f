"""Distances of vectors: cosine_similarity, pairwise_distance, and cdist and pdist, which are one node each."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.linalg import distances as kernels
from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.dtypes.dtypes import SCALAR_NAMES, promote_types, type_name
from wengert_core.ops.pointwise.composed_activations import at_least
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

composite = TABLE.composite


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    kind = promote_types(x1.dtype, x2.dtype)
    if kind.category != 2:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_NAMES[kind.code]}")
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    norm = TABLE.ops["norm"]
    x1, x2 = TABLE.ops["broadcast_tensors"](*[x if x.dtype.category > 1 else x.to(kind) for x in (x1, x2)])
    sizes = [at_least(norm(x, 2, dim, keepdim=True), eps) for x in (x1, x2)]
    return (x1 / sizes[0] * (x2 / sizes[1])).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    return TABLE.ops["_norm"](x1 - x2 + eps, float(p), (-1,), keepdim)


def distances(difference: Any, p: float) -> Any:
    """The p-norms along the last dim."""
    if p == 0:
        return difference.abs().ceil().clamp_max(1).sum(-1)  # counts what is not 0, and keeps NaN
    if p != math.inf:
        return TABLE.ops["norm"](difference, p, -1)
    size = difference.abs()
    return size.amax(-1) if size.size(-1) else size.sum(-1)


def numpy_distances(xp: Any, difference: Any, p: float) -> Any:
    """The same of arrays."""
    size = xp.abs(difference)
    if p == math.inf:
        return size.max(-1) if size.shape[-1] else size.sum(-1)
    return xp.minimum(xp.ceil(size), 1).sum(-1) if p == 0 else (size**p).sum(-1) ** (1 / p)


# ---- of all pairs of rows
MANY_ROWS = 25
"""Rows above which Euclidean distances are a matrix product, unless compute_mode= says what else."""


def cross_distances(x1: Tensor, x2: Tensor, p: float, by_product: bool) -> Any:
    """The stages of cdist. by_product: |a - b|² as |a|² - 2 a b + |b|², in one product with both squares."""
    if not by_product:
        rows1, rows2 = of_one_batch(x1, x2)
        found = kernels.cross_distances(rows1, rows2, p)
        return distances(x1.unsqueeze(-2) - x2.unsqueeze(-3), p) if found is None else found
    cat, ones = TABLE.ops["cat"], TABLE.ops["ones_like"]
    squares = [(x * x).sum(-1, True) for x in (x1, x2)]
    first = cat([x1 * -2, squares[0], ones(squares[0])], -1)
    second = cat([x2, ones(squares[1]), squares[1]], -1)
    return (first @ second.mT).clamp_min_(0).sqrt_()


def of_one_batch(*matrices: Tensor) -> list[Tensor]:
    """Matrices expanded to one batch, unless those that differ are single ones or there is no common batch."""
    shapes = {tuple(x.shape[:-2]) for x in matrices}
    if len(shapes - {()}) < 2:
        return list(matrices)
    batch = TABLE.ops["broadcast_shapes"](*shapes)
    return [x.expand(*batch, *x.shape[-2:]) for x in matrices]


def row_pairs(x: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers of the first and of the second row of each pair."""
    first, second = TABLE.ops["triu_indices"](x.size(0), x.size(0), 1, device=x.device)
    return first, second


def differences(x: Tensor) -> Tensor:
    """The difference of each pair of rows."""
    first, second = row_pairs(x)
    return x.index_select(0, first) - x.index_select(0, second)


def pairs(self: Tensor, p: float) -> Any:
    """The stages of pdist."""
    found = kernels.pair_distances(self, p)
    return distances(differences(self), p) if found is None else found


def numpy_pairs(xp: Any, x: Any, p: float) -> Any:
    """The reference of pdist."""
    first, second = xp.triu_indices(len(x), 1)
    return numpy_distances(xp, x[first] - x[second], p)


# ---- gradients
def slopes(difference: Tensor, p: float, sizes: Tensor) -> Tensor:
    """d distance / d difference; 0 at 0. sizes: the distances, with a last dim of 1. Of equal largest elements each has
    the whole slope, as in torch.
    """
    where = TABLE.ops["where"]
    if p == 0:
        return difference * 0
    if p == 1:
        return difference.sgn()
    if p == math.inf:
        return difference.sgn() * (difference.abs() == sizes)
    if p == 2:
        return where(sizes == 0, 0, difference / sizes)
    zero = (sizes == 0) | (difference == 0)
    ratio = where(zero, 1, difference.abs()) / where(sizes == 0, 1, sizes)
    return where(zero, 0, difference.sgn() * ratio ** (p - 1))


def add_pairs(part: Tensor, self: Tensor) -> Tensor:
    """A row for each pair: added to the first row of the pair, subtracted from the second, of zeros like self."""
    first, second = row_pairs(self)
    zeros = TABLE.ops["zeros_like"](self)
    total: Tensor = zeros.index_add(0, first, part).index_add(0, second, -part)
    return total


def cross_gradient(grad_output: Tensor, x1: Tensor, x2: Tensor, p: float, distances: Tensor) -> Any:
    """The stages of the gradient of x1."""
    grad, first, second, sizes = of_one_batch(grad_output, x1, x2, distances)
    found = kernels.cross_distances_back(grad, first, second, p, sizes)
    if found is not None:
        return found
    slope = slopes(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, distances.unsqueeze(-1))
    return (grad_output.unsqueeze(-1) * slope).sum(-2)


def pair_gradient(grad_output: Tensor, self: Tensor, p: float, distances: Tensor) -> Any:
    """The stages of the gradient of pdist."""
    found = kernels.pair_distances_back(grad_output, self, p, distances)
    if found is not None:
        return found
    return add_pairs(grad_output.unsqueeze(-1) * slopes(differences(self), p, distances.unsqueeze(-1)), self)


TABLE.staged(
    "_cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, Tensor distances) -> Tensor",
    stages=cross_gradient,
    reference=None,
    method=False,
    out=False,
    doc="The gradient of x1, of the distances of its rows and those of x2.",
)
TABLE.staged(
    "_pdist_backward(Tensor grad_output, Tensor self, float p, Tensor distances) -> Tensor",
    stages=pair_gradient,
    reference=None,
    method=False,
    out=False,
    doc="The gradient of self, of the distances of all pairs of its rows.",
)
cdist_op = TABLE.staged(
    "cdist(Tensor x1, Tensor x2, float p=2.0, bool by_product=False) -> Tensor",
    stages=cross_distances,
    reference=lambda xp, x1, x2, p, by_product: numpy_distances(xp, x1[..., :, None, :] - x2[..., None, :, :], p),
    key="_cdist",
    method=False,
    out=False,
    doc="The p-norms of the differences of each row of x1 and each of x2.",
)
pdist_op = TABLE.staged(
    "pdist(Tensor self, float p=2.0) -> Tensor",
    stages=pairs,
    reference=numpy_pairs,
    key="_pdist",
    method=False,
    out=False,
    doc="The p-norms of the differences of all pairs of rows.",
)
COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"
)  # fmt: skip


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode: {', '.join(COMPUTE_MODES)} are")
    if x1.dim() < 2 or x2.dim() < 2:
        which, x = ("X1", x1) if x1.dim() < 2 else ("X2", x2)
        raise RuntimeError(f"cdist only supports at least 2D tensors, {which} got: {x.dim()}D")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}")
    for which, x in (("X1", x1), ("X2", x2)):
        if x.dtype.category != 2:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {which} got: {type_name(x)}")
        if x.dtype.itemsize < 4:
            raise not_implemented_for("cdist", x.dtype)
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {type_name(x1)} but found {type_name(x2)}")
    if not p >= 0 or math.isnan(p):
        raise RuntimeError("cdist only supports non-negative p values")
    many = x1.size(-2) > MANY_ROWS or x2.size(-2) > MANY_ROWS
    by_product = compute_mode == COMPUTE_MODES[1] or (many and compute_mode == COMPUTE_MODES[0])
    return cdist_op(x1, x2, p, p == 2 and by_product and x1.size(-1) > 0)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if input.dtype.itemsize == 2 and input.dtype.category == 2:
        raise NotImplementedError(f"\"pdist\" not implemented for '{type_name(input)}'")
    if input.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"pdist only supports floating-point dtypes, got {input.dtype}")
    if not p >= 0:
        raise RuntimeError(f"pdist only supports non-negative p values, got {p}")
    return pdist_op(input, p)


for distance in (cosine_similarity, pairwise_distance, pdist):
    composite(distance)
    composite(distance, namespace="nn.functional")
composite(cdist)
