"""Index reads: ``xs[i]`` in a body, where ``i`` is a number that differs between iterations.

Note [How a body reads a row]
    An index without dims is a number that Python reads, and the result a view at it. In the recording of a body
    whole numbers among its arguments are tensors of a class of their own, and so are those that are computed from them:
    an index by one is recorded as the operation ``index``, which reads the number in each iteration. Its result is a
    copy, of the same strides. Note [Why writes are watched] in recording/watch.pyx
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import int32, int64
from wengert_core.extend import DisableTorchFunctionSubclass, Tensor
from wengert_engine import Function, is_grad_enabled
from wengert_engine.extend import current_tracer, is_dual_level_open

from wengert_replay.arguments import describe_tensors
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import as_class, may_read_row, watch

GETITEM = Tensor.__getitem__


class LoopNumber(Tensor):
    """A whole number of an iteration."""

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(one is not cls for one in types):
            return function(*as_plain(args), **as_plain(kwargs or {}))
        with DisableTorchFunctionSubclass():
            made = read_item(*args) if function == GETITEM else function(*args, **(kwargs or {}))
            return as_number(made)


def pick(tensor: Any, dim: int, index: Any) -> Any:
    """Return a copy of a tensor at an index along a dim, whose size becomes 1, with the strides of a view."""
    row, strides = tensor[(slice(None),) * dim + (index,)], tensor.stride()
    steps = [(size, step) for size, step in zip(row.shape, strides, strict=True) if size > 1]
    if steps == [(size, step) for size, step in zip(row.shape, row.stride(), strict=True) if size > 1]:
        return row
    room = row.new_empty(1 + sum((size - 1) * step for size, step in steps) if row.numel() else 0)
    return room.as_strided(tuple(row.shape), strides).copy_(row)


class RowRead(Function):
    """The row of a tensor at a number. Its gradient is put into zeros, as that of a view is."""

    _inside_transforms = True

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dim: int, index: Tensor) -> Any:
        ctx.dim, ctx.shape = dim, tuple(tensor.shape)
        ctx.save_for_backward(index)
        return pick(tensor, dim, index)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        made = grads[0].new_zeros(ctx.shape)
        made[(slice(None),) * ctx.dim + ctx.saved_tensors] = grads[0]
        return made, None, None


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
    if type(value) is dict:
        return {key: as_plain(one) for key, one in value.items()}
    return value


def read_item(tensor: Any, key: Any) -> Any:
    """Return ``tensor[key]``: a copy of the row where that is a view at a number of the loop."""
    recording = current_tracer()
    items = tuple([as_number(one) for one in (key if type(key) is tuple else (key,))])
    positions = positions_of(tensor, items)
    if not positions or not isinstance(recording, Recording) or not may_read_row(recording) or is_dual_level_open():
        return tensor[key]
    row = tensor
    for dim, number in positions:
        index = number.reshape(1)
        row = RowRead.apply(row, dim, index) if row.requires_grad and is_grad_enabled() else pick(row, dim, index)
    row = row[tuple([0 if type(one) is LoopNumber else one for one in items])]
    watch(recording, tensor, row)
    return row


def positions_of(tensor: Any, items: tuple[Any, ...]) -> list[tuple[int, LoopNumber]]:
    """Return the dims that numbers of the loop stand at; [] where it is no view, or where that raises an error."""
    used, sizes = sum(one is not None and one is not Ellipsis for one in items), tensor.shape
    overlaps = any(size > 1 and step == 0 for size, step in zip(sizes, tensor.stride(), strict=True))
    if used > len(sizes) or overlaps or tensor.is_inference() or describe_tensors([tensor])[0] is None:
        return []
    positions, dim = [], 0
    for one in items:
        if type(one) is LoopNumber and sizes[dim]:
            positions.append((dim, one))
        elif one is Ellipsis:
            dim += len(sizes) - used
            continue
        elif one is not None and type(one) is not int and not (type(one) is slice and not has_number(one)):
            return []
        dim += one is not None
    return positions


def has_number(one: slice) -> bool:
    """Whether a slice has something else in it than whole numbers, or a negative step."""
    parts = (one.start, one.stop, one.step)
    return any(part is not None and type(part) is not int for part in parts) or (one.step or 1) < 0
