"""Operations that read or write along a dim, at positions and at masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.devices.device import CPU
from wengert_core.drivers.memory_overlap import check_apart
from wengert_core.drivers.out_argument import into
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.dtypes.dtypes import type_name
from wengert_core.messages.mismatches import broadcast_error
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

reading, scattering, array, composite = TABLE.reading, TABLE.scattering, TABLE.array, TABLE.composite


# ---- references


def everywhere(xp: Any, x: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """Index arrays for all dims: ``index`` along ``dim``, its own positions along the others."""
    own = list(xp.indices(index.shape, sparse=True))
    own[dim % len(own)] = index
    return tuple(own)


def scatter(xp: Any, x: Any, dim: int, index: Any, src: Any, value: Any, reduce: Any) -> Any:
    """The reference of scatter."""
    x, at = xp.array(x), everywhere(xp, x, dim, index)
    if src is None:
        src = value
    elif xp.ndim(src):
        src = src[tuple(slice(n) for n in index.shape)]
    if reduce is None:
        x[at] = src
    else:
        (xp.add if reduce == "add" else xp.multiply).at(x, at, xp.asarray(src).astype(x.dtype))
    return x


def scatter_add(xp: Any, x: Any, dim: int, index: Any, src: Any) -> Any:
    """The reference of scatter_add."""
    return scatter(xp, x, dim, index, src, None, "add")


def at_dim(x: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """Index of the parts of a dim."""
    return (*[slice(None)] * (dim % x.ndim), index)


def index_add(xp: Any, x: Any, dim: int, index: Any, source: Any, alpha: Any) -> Any:
    """The reference of index_add."""
    x = xp.array(x)
    xp.add.at(x, at_dim(x, dim, index), source * xp.asarray(alpha).astype(x.dtype))
    return x


def index_write(xp: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    """The reference of index_copy and index_fill."""
    x = xp.array(x)
    x[at_dim(x, dim, index)] = source
    return x


# ---- along a dim

reading(
    "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    way="gather",
    reference=lambda xp, x, dim, index, sparse_grad=False: x[everywhere(xp, x, dim, index)],
)
reading(
    "index_select(Tensor self, int dim, Tensor index) -> Tensor",
    way="index_select",
    reference=lambda xp, x, dim, index: x[at_dim(x, dim, index)],
)
TABLE.selecting(
    "nonzero(Tensor self, *, bool as_tuple=False, Tensor? out=None) -> Tensor",
    way="nonzero",
    no_record=True,
)
scattering(
    "scatter(Tensor self, int dim, Tensor index, Any? src=None, *, Any? value=None, str? reduce=None) -> Tensor",
    way="scatter",
    reference=scatter,
)
scattering(
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    way="scatter_add",
    reference=scatter_add,
)
scattering(
    "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
    way="index_add",
    reference=index_add,
)
scattering(
    "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
    way="index_copy",
    reference=index_write,
)
scattering(
    "index_fill(Tensor self, int dim, Tensor index, Any value) -> Tensor",
    way="index_fill",
    reference=index_write,
)


@composite
def argwhere(input: Tensor) -> Tensor:
    return TABLE.ops["nonzero"](input)


@composite
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    gather = TABLE.ops["gather"]
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1), out=out)
    if input.dim() != indices.dim():
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.dim()} dimensions for input, and {indices.dim()} dimensions for indices"
        )
    input.size(dim)  # IndexError where there is no such dim
    dim = dim % input.dim() if input.dim() else dim
    if indices.dtype.name != "int64":
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {CPP_NAMES[indices.dtype.name]}"
        )
    sizes = [max(a, b) if b != 0 and a != 0 else 0 for a, b in zip(input.shape, indices.shape, strict=True)]
    own = [input.size(dim) if d == dim else n for d, n in enumerate(sizes)]
    index = [indices.size(dim) if d == dim else n for d, n in enumerate(sizes)]
    if indices.numel():
        indices = TABLE.ops["remainder"](indices, input.size(dim))  # an index beyond the end begins anew
    return gather(input.expand(own), dim, indices.expand(index), out=out)


def coordinates(index: Tensor, shape: Sequence[int]) -> tuple[Tensor, ...]:
    """Positions in the flattened tensor as an index for each dim."""
    places = []
    floor_divide, remainder = TABLE.ops["floor_divide"], TABLE.ops["remainder"]
    for size in reversed(shape):
        places.append(remainder(index, size))
        index = floor_divide(index, size)
    return tuple(reversed(places))


def checked_positions(index: Tensor, count: int) -> Tensor:
    """Positions counted from the front; IndexError for one outside."""
    seen = every_sample(index)
    if seen.numel() and not -count <= int(seen.min()) <= int(seen.max()) < count:
        worst = int(seen.max()) if int(seen.max()) >= count else int(seen.min())
        raise IndexError(f"out of range: tried to access index {worst} on a tensor of {count} elements.")
    return TABLE.ops["where"](index < 0, index + count, index)


def check_long(name: str, index: Tensor) -> None:
    """RuntimeError for an index that is not int64."""
    if index.dtype.name != "int64":
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {CPP_NAMES[index.dtype.name]}")


@composite
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    check_long("take", index)
    found = take_op(input, index)
    if out is None:
        return found
    check_apart("take", out, input=input, index=index)
    if not index.is_contiguous():  # an output that is resized lies as the index, as in torch
        found = TABLE.ops["empty_like"](index, dtype=found.dtype).copy_(found)
    return into("take", found, out)


def take_positions(flat: Tensor, index: Tensor) -> Tensor:
    """Positions in one dimension, so that what is taken is a copy also of an index without dimensions."""
    return checked_positions(index, flat.numel()).reshape(-1)


def take_stages(self: Tensor, index: Tensor) -> Tensor:
    """On the host the reading itself looks for positions outside: only where there are some are they looked for."""
    if index.device is CPU:
        try:
            return self.reshape(-1)[index.reshape(-1)].reshape(index.shape)
        except IndexError:
            checked_positions(index, self.numel())
            raise
    return self.reshape(-1)[take_positions(self, index)].reshape(index.shape)


take_op = TABLE.staged(
    "_take(Tensor self, Tensor index) -> Tensor",
    stages=take_stages,
    reference=lambda xp, x, index: x.reshape(-1)[index],
    method=False,
    doc="The elements at positions of the flattened tensor.",
)


def check_put(input: Tensor, index: Tensor, source: Tensor) -> None:
    """IndexError for another number of elements than of positions.

    RuntimeError for an index or a source of another dtype.
    """
    check_long("put_", index)
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {type_name(input)} and "
            f"source.dtype = {type_name(source)}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )


@composite
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    check_put(input, index, source)
    return put_op(input, index, source, accumulate)


def put_stages(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """By coordinates, so that the result has the order of dims of self."""
    if not self.dim():
        return put_stages(self.reshape(1), index, source, accumulate).reshape([])
    places = coordinates(checked_positions(index, self.numel()).reshape(-1), self.shape)
    return TABLE.ops["index_put"](self, places, source.reshape(-1), accumulate)


def put_reference(xp: Any, x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """The same, of arrays."""
    result = x.reshape(-1).copy()
    if accumulate:
        xp.add.at(result, index.reshape(-1), source.reshape(-1))
    else:
        result[index.reshape(-1)] = source.reshape(-1)
    return result.reshape(x.shape)


put_op = TABLE.staged(
    "_put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
    stages=put_stages,
    reference=put_reference,
    method=False,
    doc="self with source at positions of the flattened tensor.",
)


def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """In-place version of put."""
    check_put(self, index, source)
    check_apart("put_", self, index=index, source=source)
    if not self.dim():
        put_(self.unsqueeze(0), index, source, accumulate)
        return self
    places = coordinates(checked_positions(index, self.numel()).reshape(-1), self.shape)
    return TABLE.ops["index_put_"](self, places, source.reshape(-1), accumulate)


# ---- masks


def broadcast_both(xp: Any, x: Any, mask: Any) -> Any:
    """Both broadcast to one shape; RuntimeError in torch's words."""
    for d in range(1, min(x.ndim, mask.ndim) + 1):
        if x.shape[-d] != mask.shape[-d] and 1 not in (x.shape[-d], mask.shape[-d]):
            dim = max(x.ndim, mask.ndim) - d
            raise broadcast_error("masked_select", mask.shape[-d], x.shape[-d], dim, (mask.shape, x.shape))
    return xp.broadcast_arrays(x, mask)


def masked_select(xp: Any, x: Any, mask: Any) -> Any:
    """The reference of masked_select."""
    x, mask = broadcast_both(xp, x, mask)
    return x[mask]


def masked_scatter(xp: Any, x: Any, mask: Any, source: Any) -> Any:
    """The reference of masked_scatter."""
    if mask.dtype != bool:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    if x.dtype != source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {x.dtype} and {source.dtype}"
        )
    x, mask = (xp.array(a) for a in broadcast_both(xp, x, mask))
    wanted = int(mask.sum())
    if source.size < wanted:
        raise RuntimeError(f"Number of elements of source < number of ones in mask: {source.size} < {wanted}")
    x[mask] = source.reshape(-1)[:wanted]
    return x


TABLE.selecting(
    "masked_select(Tensor self, Tensor mask, *, Tensor? out=None) -> Tensor",
    way="masked_select",
    reference=masked_select,
)
array(
    "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
    reference=masked_scatter,
    widen="",
    inplace=True,
)


def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """In-place version of masked_scatter. RuntimeError for a mask that cannot be expanded to self."""
    if getattr(mask, "shape", self.shape) != self.shape:
        if mask.dim() > self.dim():
            raise RuntimeError(
                f"expand(CPU{CPP_NAMES[mask.dtype.name]}Type{{{list(mask.shape)}}}, size={list(self.shape)}): the "
                f"number of sizes provided ({self.dim()}) must be greater or equal to the number of dimensions in the "
                f"tensor ({mask.dim()})"
            )
        mask.expand(self.shape)  # RuntimeError where a size does not fit
    return TABLE.ops["masked_scatter_"](self, mask, source)


TABLE.methods["put_"] = put_
TABLE.methods["masked_scatter_"] = masked_scatter_
for NAME in (
    "argwhere",
    "take_along_dim",
    "take",
    "put",
):
    TABLE.methods[NAME] = TABLE.ops[NAME]
