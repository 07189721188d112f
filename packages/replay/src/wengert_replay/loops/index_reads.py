"""Index reads: ``xs[i]`` and ``xs[i:i + 2]`` in a body, where ``i`` is a number that differs between iterations.

Note [How a body reads a row]
    An index without dims is a number that Python reads, and the result a view at it. In the recording of a body
    whole numbers among its arguments are tensors of a class of their own, and so are those that are computed from them:
    an index by one is recorded as the operation ``index``, which reads the number in each iteration. Its result is a
    copy, of the same strides. ``select`` and ``narrow`` are read as the index that means the same.
    Note [Why writes are watched] in recording/watch.pyx
Note [Windows have one length]
    The recorded part ``xs[i:i + 2]`` is read at the numbers ``i`` and ``i + 1``. A slice that has another length in
    another iteration, that begins below 0 or is cut short at the end of its dim, is read at a number that is out of
    range, which is an error. In a replay such a call runs as usual then; in a recording the construct is no loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import TABLE, int32, int64
from wengert_core.extend import DisableTorchFunctionSubclass, Op, Tensor
from wengert_engine import Function, is_grad_enabled
from wengert_engine.extend import current_tracer, is_dual_level_open

from wengert_replay.arguments import describe_tensors
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import as_class, may_read_row, number_of, watch

GETITEM = Tensor.__getitem__
arange, where = TABLE.ops["arange"], TABLE.ops["where"]
VIEWS = {TABLE.ops["select"]: ("index",), TABLE.ops["narrow"]: ("start", "length")}
"""Names of arguments behind the tensor and its dim, of views that an index gives as well."""


class LoopNumber(Tensor):
    """A whole number of an iteration."""

    _is_asked_in_slices = True

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(one is not cls for one in types):
            return function(*as_plain(args), **as_plain(kwargs or {}))
        kwargs = kwargs or {}
        with DisableTorchFunctionSubclass():
            view = args if function == GETITEM else index_of_view(function, args, kwargs)
            row = None if view is None else read_row(*view)
            return as_number(function(*args, **kwargs) if row is None else row)


def with_numbers(function: Callable[[list[Any]], list[Any]], tensors: list[Any]) -> list[Any]:
    """Return what a body gives for tensors, the whole numbers among which it may use as an index."""
    arguments = [as_number(one) for one in tensors]
    before = {id(made): one for made, one in zip(arguments, tensors, strict=True)}
    return [as_plain(before.get(id(one), one)) for one in function(arguments)]


def as_number(value: Any) -> Any:
    """Return a whole number without dims as a LoopNumber, anything else as it is."""
    if type(value) is Tensor and value.dim() == 0 and value.dtype in (int32, int64):
        return as_class(value, LoopNumber)
    return value


def as_plain(value: Any) -> Any:
    """Return a value with tensors in place of numbers of a loop."""
    if type(value) is LoopNumber:
        with DisableTorchFunctionSubclass():
            return as_class(value, Tensor)
    if type(value) in (tuple, list):
        return type(value)([as_plain(one) for one in value])
    if type(value) is slice:
        return slice(*as_plain((value.start, value.stop, value.step)))
    if type(value) is dict:
        return {key: as_plain(one) for key, one in value.items()}
    return value


def index_of_view(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any] | None:
    """Return the tensor and the index that mean the same as a view at a number of the loop; None for another call."""
    if type(function) is not Op or function not in VIEWS:
        return None
    names = VIEWS[function]
    found: dict[str, Any] = dict(zip(("self", "dim", *names), args, strict=False)) | kwargs
    tensor: Any = found.get("self", found.get("input"))
    dim, first = found.get("dim"), found.get(names[0])
    length = found.get("length", 1)
    if type(first) is not LoopNumber or type(dim) is not int or type(length) is not int \
            or not -tensor.dim() <= dim < tensor.dim():  # fmt: skip
        return None
    index = slice(first, first + length) if "length" in names else first
    return tensor, ((slice(None),) * (dim % tensor.dim()) + (index,))


def read_row(tensor: Any, key: Any) -> Any:
    """Return ``tensor[key]``, a copy of what is a view at a number of the loop; None where it cannot be one."""
    recording = current_tracer()
    items = tuple([as_numbers(one) for one in (key if type(key) is tuple else (key,))])
    positions = positions_of(tensor, items)
    if not positions or not isinstance(recording, Recording) or not may_read_row(recording) or is_dual_level_open():
        return None
    indices = [index_of(item, tensor.shape[dim]) for dim, item in positions]
    if any(index is None for index in indices):
        return None
    row = tensor
    for (dim, item), index in zip(positions, indices, strict=True):
        row = read_part(row, dim, index, (item.step or 1) if type(item) is slice else 1)
    row = row[tuple([0 if type(one) is LoopNumber else slice(None) if is_window(one) else one for one in items])]
    watch(recording, tensor, row)
    return row


def index_of(item: Any, size: int) -> Any:
    """Return the indices along a dim of a size that a number, or a slice between two, stands for; None for none."""
    if type(item) is slice:
        return window_indices(item, size)
    return item.reshape(1) if -size <= number_of(item) < size else None


def as_numbers(item: Any) -> Any:
    """Return an item of an index with whole numbers as LoopNumbers."""
    if type(item) is slice:
        return slice(as_number(item.start), as_number(item.stop), item.step)
    return as_number(item)


def positions_of(tensor: Any, items: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """Return the dims that numbers of the loop stand at; [] where it is no view, or where that raises an error."""
    used, sizes = sum(one is not None and one is not Ellipsis for one in items), tensor.shape
    overlaps = any(size > 1 and step == 0 for size, step in zip(sizes, tensor.stride(), strict=True))
    if used > len(sizes) or overlaps or tensor.is_inference() or describe_tensors([tensor])[0] is None:
        return []
    positions, dim = [], 0
    for one in items:
        if type(one) is LoopNumber or is_window(one):
            positions.append((dim, one))
        elif one is Ellipsis:
            dim += len(sizes) - used
            continue
        elif one is not None and type(one) is not int and not (type(one) is slice and not has_number(one)):
            return []
        dim += one is not None
    return positions


def is_window(item: Any) -> bool:
    """Whether an item of an index is a slice between two numbers of the loop."""
    return type(item) is slice and type(item.start) is type(item.stop) is LoopNumber \
        and (item.step is None or (type(item.step) is int and item.step > 0))  # fmt: skip


def has_number(one: slice) -> bool:
    """Whether a slice has something else in it than whole numbers, or a negative step."""
    parts = (one.start, one.stop, one.step)
    return any(part is not None and type(part) is not int for part in parts) or (one.step or 1) < 0


# ---- parts of a tensor at numbers that differ, as copies with the strides of a view


def read_part(tensor: Any, dim: int, index: Any, step: int) -> Any:
    """Return the part of a tensor at indices along a dim, which are ``step`` apart."""
    if tensor.requires_grad and is_grad_enabled():
        return PartRead.apply(tensor, dim, index, step)
    return pick(tensor, dim, index, step)


def pick(tensor: Any, dim: int, index: Any, step: int) -> Any:
    """Return a copy of a tensor at indices along a dim, with the strides of a view."""
    part = tensor[(slice(None),) * dim + (index,)]
    strides = tuple([one * step if k == dim else one for k, one in enumerate(tensor.stride())])
    if part.stride() == strides:
        return part
    last = sum((size - 1) * one for size, one in zip(part.shape, strides, strict=True))
    room = part.new_empty(1 + last if part.numel() else 0)
    return room.as_strided(tuple(part.shape), strides).copy_(part)


class PartRead(Function):
    """The part of a tensor at indices. Its gradient is put into zeros, as that of a view is."""

    _inside_transforms = True

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dim: int, index: Tensor, step: int) -> Any:
        ctx.dim, ctx.shape = dim, tuple(tensor.shape)
        ctx.save_for_backward(index)
        return pick(tensor, dim, index, step)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        made = grads[0].new_zeros(ctx.shape)
        made[(slice(None),) * ctx.dim + ctx.saved_tensors] = grads[0]
        return made, None, None, None


def window_indices(bounds: slice, size: int) -> Any:
    """Return the indices of a slice between two numbers of the loop, along a dim of a size; None where it is cut short
    or empty. Note [Windows have one length]
    """
    first, last = bounds.start, bounds.stop
    start, stop = number_of(first), number_of(last)
    if not 0 <= start < stop <= size:
        return None
    is_other = (first < 0) | (last - first != stop - start) | (last > size)
    return where(is_other, size, first) + arange(0, stop - start, bounds.step or 1, dtype=int64, device="cpu")
