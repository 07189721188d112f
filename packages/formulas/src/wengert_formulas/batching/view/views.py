"""Batching rules of views: the same view, one dim further to the right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from wengert_core import TABLE, tensor
from wengert_core.drivers.pointwise.pointwise_checks import every_sample

from wengert_formulas.batching.calls.call import Call, family, rule

alias, unsqueeze = TABLE.ops["alias"], TABLE.ops["unsqueeze"]


def sizes_of(value: Any) -> list[int]:
    """An int or several as a list."""
    return [value] if isinstance(value, int) else [int(size) for size in value]


def pad_rank(value: Any, rank: int, wanted: int) -> Any:
    """A batch whose elements have dims of size 1 more in front: wanted in all."""
    for _ in range(wanted - rank):
        value = unsqueeze(value, 1)
    return value


def fill_in_shape(size: list[int], count: int) -> list[int]:
    """A shape whose -1 is filled in. RuntimeError where it does not fit."""
    if -1 not in size:
        return size
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(length for length in size if length != -1)
    if known == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {size} because the unspecified dimension "
                           "size -1 can be any value and is ambiguous")
    return [count // known if length == -1 else length for length in size]


@rule("view", "_unsafe_view", "_reshape_alias")
def batch_view(call: Call) -> Any:
    size = call["size"]
    if not isinstance(size, (int, tuple, list)):
        return another_dtype(call, size)
    count = math.prod(call["self"].shape[1:])
    wanted = fill_in_shape(sizes_of(size), count)
    if math.prod(wanted) != count:
        raise RuntimeError(f"shape '{sizes_of(size)}' is invalid for input of size {count}")
    return call.run(size=(call.size, *wanted))


def another_dtype(call: Call, dtype: Any) -> Any:
    """view(dtype): the last dim of a scalar is not the batch."""
    value = call["self"]
    if call.rank("self") == 0 and value.dtype.itemsize != dtype.itemsize:
        raise RuntimeError(f"self.dim() cannot be 0 to view {value.dtype} as {dtype} (different element sizes)")
    return call.run()


@rule("alias", "_fw_primal", "view_as_real")
def as_it_is(call: Call) -> Any:
    return call.run()


@rule("view_as_complex")
def batch_view_complex(call: Call) -> Any:
    if call.rank("self") == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    return call.run()


@rule("transpose")
def batch_transpose(call: Call) -> Any:
    rank = call.rank("self")
    first, second = call.dim(call["dim0"], rank), call.dim(call["dim1"], rank)
    return call.run(dim0=first, dim1=second) if rank else alias(call["self"])


@rule("t")
def matrix(call: Call) -> Any:
    rank = call.rank("self")
    if rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D")
    return call["self"].transpose(1, 2) if rank == 2 else alias(call["self"])


@rule("permute")
def batch_permute(call: Call) -> Any:
    dims, rank = sizes_of(call["dims"]), call.rank("self")
    if len(dims) != rank:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                           f"of the desired ordering of dimensions i.e. input.dim() = {rank} is not equal to "
                           f"len(dims) = {len(dims)}")
    return call.run(dims=(0, *call.dims(dims, rank)))


@rule("squeeze")
def batch_squeeze(call: Call) -> Any:
    value, rank = call["self"], call.rank("self")
    dims = range(1, rank + 1) if call["dim"] is None else call.dims(call["dim"], rank)
    dims = [dim for dim in dims if dim <= rank and value.shape[dim] == 1]
    return call.run(dim=dims) if dims else alias(value)


@rule("unsqueeze")
def batch_unsqueeze(call: Call) -> Any:
    return call.run(dim=call.dim(call["dim"], call.rank("self") + 1))


@rule("expand")
def batch_expand(call: Call) -> Any:
    size, rank = sizes_of(call["size"]), call.rank("self")
    if len(size) < rank:
        raise RuntimeError(f"expand(torch.FloatTensor{{{list(call['self'].shape[1:])}}}, size={size}): the number of "
                           f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({rank})")
    return call.run(self=pad_rank(call["self"], rank, len(size)), size=(call.size, *size))


@rule("select", "slice")
def part(call: Call) -> Any:
    rank = call.rank("self")
    if not rank:
        if call.name == "select":
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    dim = call.dim(call["dim"], rank)
    if call.name == "select":
        index, size = call["index"], call["self"].shape[dim]
        if not -size <= index < size:
            raise IndexError(f"select(): index {index} out of range for tensor of size {list(call['self'].shape[1:])} "
                             f"at dimension {dim - 1}")
    return call.run(dim=dim)


@rule("diagonal")
def diagonal(call: Call) -> Any:
    rank = call.rank("self")
    return call.run(dim1=call.dim(call["dim1"], rank), dim2=call.dim(call["dim2"], rank))


def check_inside(call: Call, value: Any, offset: int | None) -> None:
    """RuntimeError where as_strided would come to elements behind those of a sample: they are another sample's."""
    size, stride = tuple(call["size"]), tuple(call["stride"])
    start = value.storage_offset() if offset is None else offset
    if not call.size or 0 in size or len(size) != len(stride):
        return
    first = value.storage_offset()
    last = first + 1 + sum((n - 1) * step for n, step in zip(value.shape[1:], value.stride()[1:], strict=True))
    reached = start + 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if reached > last or start < first:
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access memory outside of `tensor`. "
            f"`result` can access some memory in range [{start}, {reached}], but `tensor` can only access some memory "
            f"in range [{first}, {last}]. This is not supported by vmap: the rest is memory of other samples"
        )


def element_offsets(size: Any, stride: Any, offset: int) -> Any:
    """The offsets of the elements of a geometry, in its shape."""
    steps = [np.arange(n) * step for n, step in zip(size, stride, strict=True)]
    return offset + sum(np.ix_(*steps)) if steps else np.array(offset)


def keep_own_gradient(call: Call, value: Any, result: Any) -> None:
    """Leave out of a gradient what a sample's geometry reaches of other samples, whose elements lie between its own.

    The gradient of a transform inside of the vmap is that of one sample, by its own elements; from outside it is that
    of the whole memory.
    """
    size, stride = tuple(value.shape[1:]), tuple(value.stride()[1:])
    first = value.storage_offset()
    if value.stride(0) > sum((n - 1) * step for n, step in zip(size, stride, strict=True)):
        return
    reached = element_offsets(call["size"], call["stride"], result.storage_offset())
    own = np.isin(reached, element_offsets(size, stride, first))
    if not own.all():
        mask = tensor(own.tolist(), dtype=value.dtype, device=value.device)
        result.register_hook(lambda grad: grad * mask)


@rule("as_strided")
def batch_as_strided(call: Call) -> Any:
    value, offset = call["self"], call["storage_offset"]
    check_inside(call, value, offset)
    result = call.run(size=(call.size, *call["size"]), stride=(value.stride(0), *call["stride"]),
                      storage_offset=value.storage_offset() if offset is None else offset)
    if call.name == "as_strided" and result.numel() and every_sample(result).requires_grad:
        from wengert_engine.vmap.level_stack import differentiates_inside

        if differentiates_inside():
            keep_own_gradient(call, value, result)
    return result


@rule("unfold")
def windows(call: Call) -> Any:
    rank = call.rank("self")
    if rank:
        return call.run(dimension=call.dim(call["dimension"], rank))
    return call.run(self=call["self"].unsqueeze(1), dimension=1).squeeze(1)


@rule("split", "split_with_sizes", "unbind")
def pieces(call: Call) -> Any:
    rank = call.rank("self")
    if not rank:
        raise RuntimeError(f"{call.name} expects at least a 1-dimensional tensor: Dimension specified as "
                           f"{call['dim']} but tensor has no dimensions")
    return call.run(dim=call.dim(call["dim"], rank))


@family("copy")
def batch_copy(call: Call) -> Any:
    layout = call["memory_format"]
    if layout is not None and str(layout) in ("torch.channels_last", "torch.channels_last_3d"):
        return call.run(self=call["self"].movedim(2, -1), memory_format=None).contiguous().movedim(-1, 2)
    return call.run()


@family("conversion")
def batch_view_dtype(call: Call) -> Any:
    return call.run()


# ---- in place, of the geometry alone

@rule("t_")
def matrix_(call: Call) -> Any:
    if call.rank("self") > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {call.rank('self')}D")
    return call["self"].transpose_(1, 2) if call.rank("self") == 2 else None


@rule("transpose_")
def batch_transpose_(call: Call) -> Any:
    rank = call.rank("self")
    dims = call.dim(call["dim0"], rank), call.dim(call["dim1"], rank)
    return call["self"].transpose_(*dims) if rank else None


@rule("squeeze_")
def batch_squeeze_(call: Call) -> Any:
    value, rank = call["self"], call.rank("self")
    dims = range(1, rank + 1) if call["dim"] is None else call.dims(call["dim"], rank)
    dims = [dim for dim in dims if dim <= rank and value.shape[dim] == 1]
    return call.run(dim=dims) if dims else None


@rule("unsqueeze_")
def batch_unsqueeze_(call: Call) -> Any:
    return call.run(dim=call.dim(call["dim"], call.rank("self") + 1))


@rule("as_strided_")
def batch_as_strided_(call: Call) -> Any:
    return batch_as_strided(call)


@rule("resize_", "resize_as_")
def batch_resize(call: Call) -> Any:
    value = call["self"]
    shape = list(value.shape[1:])
    if call.name == "resize_":
        wanted = sizes_of(call["size"])
    else:
        wanted = list(call["the_template"].shape)[call.batched["the_template"]:]
    if wanted == shape:
        return
    if value.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if math.prod(wanted) > math.prod(shape) or (call.size and not value[0].is_contiguous()):
        raise RuntimeError(f"vmap: {call.name} of a batched tensor of shape {shape} to {wanted} is not possible: its "
                           "memory is shared by the batch. Make a tensor of that shape with new_empty")
    steps = [math.prod(wanted[i + 1 :]) for i in range(len(wanted))]
    value.as_strided_((call.size, *wanted), (value.stride(0), *steps))  # each sample keeps its first elements


@rule("set_")
def refuse_batch(call: Call) -> Any:
    raise RuntimeError("vmap: set_ of a batched tensor is not possible: its memory is shared by the batch")
