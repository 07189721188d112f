"""Parts of networks that are no activation and no loss: dropout, vectors of length 1, embeddings, distances."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.dtypes import SCALAR_NAMES, promote_types, type_name
from wengert_core.factories import not_for
from wengert_core.inside_vmap import unfilled
from wengert_core.ops.nn import constant
from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor

composite = TABLE.composite


# ---- dropout


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to 0 with probability p, the rest scaled by 1 / (1 - p), while training."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(False) if inplace else input * False
    kept = unfilled(TABLE.ops["empty_like"](input)).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(kept) if inplace else input * kept


composite(dropout, namespace="nn.functional")


# ---- length


def normalize(input: Tensor, p: Any = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """input divided by its p-norm along ``dim`` (at least eps)."""
    size = TABLE.ops["norm"](input, p, dim, keepdim=True).clamp_min(eps)
    return input / size if out is None else TABLE.ops["div"](input, size, out=out)


composite(normalize, namespace="nn.functional")


# ---- distances


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along ``dim``; norms count at least eps."""
    kind = promote_types(x1.dtype, x2.dtype)
    if kind.category != 2:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_NAMES[kind.code]}")
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    norm = TABLE.ops["norm"]
    x1, x2 = TABLE.ops["broadcast_tensors"](*[x if x.dtype.category > 1 else x.to(kind) for x in (x1, x2)])
    sizes = [norm(x, 2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2)]
    return (x1 / sizes[0] * (x2 / sizes[1])).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dim."""
    return TABLE.ops["norm"](x1 - x2 + eps, p, -1, keepdim=keepdim)


def largest_size(x: Tensor) -> Tensor:
    """The largest absolute value along the last dim. Equal ones have the whole gradient each, as in torch's pdist."""
    size = x.abs()
    if not size.size(-1):
        return size.sum(-1)
    top = constant(size.amax(-1, keepdim=True))
    return top.squeeze(-1) + TABLE.ops["where"](size == top, size - constant(size), 0).sum(-1)


COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"
)  # fmt: skip


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The p-norms of the differences of each row of x1 and each of x2: [..., rows of x1, rows of x2]."""
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
            raise not_for("cdist", x.dtype)
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {type_name(x1)} but found {type_name(x2)}")
    if not p >= 0 or math.isnan(p):
        raise RuntimeError("cdist only supports non-negative p values")
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return largest_size(difference) if p == math.inf else TABLE.ops["norm"](difference, p, -1)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of the differences of all pairs of rows, in the order of the upper triangle: [n (n - 1) / 2]."""
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if input.dtype.itemsize == 2 and input.dtype.category == 2:
        raise NotImplementedError(f"\"pdist\" not implemented for '{type_name(input)}'")
    if input.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"pdist only supports floating-point dtypes, got {input.dtype}")
    if not p >= 0:
        raise RuntimeError(f"pdist only supports non-negative p values, got {p}")
    first, second = TABLE.ops["triu_indices"](input.size(0), input.size(0), 1, device=input.device)
    difference = input.index_select(0, first) - input.index_select(0, second)
    return largest_size(difference) if p == math.inf else TABLE.ops["norm"](difference, p, -1)


for distance in (cosine_similarity, pairwise_distance, pdist):
    composite(distance)
    composite(distance, namespace="nn.functional")
composite(cdist)
