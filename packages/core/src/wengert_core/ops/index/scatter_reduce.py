"""Reductions of what is scattered to one place: scatter_reduce and index_reduce."""

from __future__ import annotations

from typing import Any

from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.optable.core_table import TABLE

scattering = TABLE.scattering
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
OTHER_NAMES = {"max": "amax", "min": "amin"}
"""Names of reductions that scatter_reduce takes beside those which it is documented with, as in torch."""


def least_of(xp: Any, dtype: Any) -> Any:
    """The smallest number of a dtype."""
    return False if dtype.kind == "b" else -xp.inf if dtype.kind == "f" else xp.iinfo(dtype).min


def largest_of(xp: Any, dtype: Any) -> Any:
    """The largest number of a dtype."""
    return True if dtype.kind == "b" else xp.inf if dtype.kind == "f" else xp.iinfo(dtype).max


def check_reduction(x: Any, reduce: str, allowed: tuple[str, ...], name: str) -> None:
    """Errors for an unknown reduction, and for the order of complex numbers."""
    if reduce not in allowed:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
            if name.startswith("scatter")
            else f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    if x.dtype.kind == "c" and reduce in ("amax", "amin"):
        raise NotImplementedError(
            f"\"{name}_{reduce}\" not implemented for '{CPP_NAMES[x.dtype.name]}': it needs an order"
        )


def reduce_at(xp: Any, x: Any, places: Any, values: Any, reduce: str, include_self: bool) -> Any:
    """x flattened, with values reduced into its places; without ``include_self`` those places start anew."""
    x = xp.array(x).reshape(-1)
    if not include_self:
        start = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
        x[places] = (least_of if reduce == "amax" else largest_of)(xp, x.dtype) if start is None else start
    way = {"sum": xp.add, "mean": xp.add, "prod": xp.multiply, "amax": xp.maximum, "amin": xp.minimum}[reduce]
    way.at(x, places, values)
    if reduce != "mean":
        return x
    counts = xp.bincount(places, minlength=x.size) + include_self
    counts = xp.maximum(counts, 1).astype(x.dtype)
    return x // counts if x.dtype.kind in "iu" else x / counts


def scatter_reduce_reference(xp: Any, x: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool) -> Any:
    """The reference of scatter_reduce."""
    reduce = OTHER_NAMES.get(reduce, reduce)
    check_reduction(x, reduce, REDUCTIONS, "scatter_gather_tensor_cpu_reduce")
    check_scatter(x, dim, index, src)
    if not index.size:
        return x
    shape = x.shape
    x, index, src = (xp.atleast_1d(a) for a in (x, index, src))
    own = list(xp.indices(index.shape, sparse=True))
    own[dim] = index
    places = xp.ravel_multi_index([xp.broadcast_to(a, index.shape) for a in own], x.shape).reshape(-1)
    values = src[tuple(slice(n) for n in index.shape)].reshape(-1)
    return reduce_at(xp, x, places, values, reduce, include_self).reshape(shape)


def check_scatter(x: Any, dim: int, index: Any, src: Any) -> None:
    """What scatter_reduce refuses of shapes, dtypes and positions."""
    if index.size and (index.dtype.kind != "i" or index.dtype.itemsize < 4):
        raise RuntimeError(f"scatter(): Expected dtype int32/int64 for index, got {index.dtype}")
    if x.dtype != src.dtype:
        raise RuntimeError(f"scatter(): Expected self.dtype to be equal to src.dtype, got {x.dtype} and {src.dtype}")
    rank = max(x.ndim, 1)
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    if not index.size:
        return
    if max(index.ndim, 1) != rank or max(src.ndim, 1) != rank:
        what = "self" if max(index.ndim, 1) != rank else "src"
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {what} tensor: got the shapes "
            f"{list(index.shape)} of the index, {list(x.shape)} of self and {list(src.shape)} of src"
        )
    room = src.shape or (1,)
    for d, n in enumerate(index.shape):
        if n > room[d] or (d != dim % rank and n > x.shape[d]):
            raise RuntimeError(
                f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension "
                f"{dim % rank} and to be no larger size than src {list(src.shape)}"
            )
    check_positions(index, x.shape[dim] if x.ndim else 1, dim, RuntimeError)


def check_positions(index: Any, size: int, dim: int, error: type[Exception], start: str = "") -> None:
    """The error for an index outside a dim."""
    low, high = int(index.min()), int(index.max())
    if low < 0 or high >= size:
        raise error(f"{start}index {low if low < 0 else high} is out of bounds for dimension {dim} with size {size}")


def index_reduce_reference(xp: Any, x: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool) -> Any:
    """The reference of index_reduce."""
    check_reduction(x, reduce, REDUCTIONS[1:], "index_reduce")
    check_index(x, dim, index, source)
    if not index.size:
        return x
    shape = x.shape
    x, source, index = (xp.atleast_1d(a) for a in (x, source, index))
    dim %= x.ndim
    check_positions(index, x.shape[dim], dim, IndexError, "index out of range in self: ")
    own = list(xp.indices(source.shape, sparse=True))
    own[dim] = index.reshape([-1 if d == dim else 1 for d in range(x.ndim)])
    places = xp.ravel_multi_index([xp.broadcast_to(a, source.shape) for a in own], x.shape).reshape(-1)
    return reduce_at(xp, x, places, source.reshape(-1), reduce, include_self).reshape(shape)


def check_index(x: Any, dim: int, index: Any, source: Any) -> None:
    """What index_reduce refuses of shapes and dtypes."""
    if index.ndim > 1:
        raise IndexError(f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim}")
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError(f"index_reduce_(): Expected dtype int32/int64 for index, got {index.dtype}")
    if x.dtype != source.dtype:
        raise RuntimeError(
            f"index_reduce_(): self ({CPP_NAMES[x.dtype.name]}) and source ({CPP_NAMES[source.dtype.name]}) must have "
            "the same scalar type"
        )
    rank = max(x.ndim, 1)
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    if source.ndim == 0 and index.size != 1:
        raise IndexError(
            f"Dimension specified as {dim} but tensor has no dimensions: got {index.size} indices for a number"
        )
    others = [[n for d, n in enumerate(a.shape) if d != dim % rank] for a in (x, source)]
    if x.ndim != source.ndim or others[0] != others[1]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(x.shape)} source.shape = {list(source.shape)}"
        )
    if index.size != (source.shape[dim] if source.ndim else 1):
        raise RuntimeError(
            f"index_reduce_(): Number of indices ({index.size}) should be equal to source.size(dim): "
            f"({source.shape[dim] if source.ndim else 1}), for dim: {dim}"
        )


scattering(
    "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
    way="scatter_reduce",
    reference=scatter_reduce_reference,
)
scattering(
    "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
    way="index_reduce",
    reference=index_reduce_reference,
)
