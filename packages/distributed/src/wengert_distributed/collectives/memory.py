"""The memory of tensors as the arrays that backends take: as it is where it can be used, else a copy.

Note [Arrays of transports]
    Transports know fewer dtypes than tensors have, and only bytes matter to a transfer: complex numbers are passed on
    as pairs, float16 and bfloat16 as int16, bools as uint8. Nothing is converted for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import wengert
from wengert import Tensor
from wengert.autograd.graph import increment_version

PLAIN = frozenset({
    wengert.float32, wengert.float64, wengert.int64, wengert.int32, wengert.int16, wengert.int8, wengert.uint8,
})  # fmt: skip
"""Dtypes that NumPy and every transport have."""
UNSIGNED = {wengert.uint16: wengert.int16, wengert.uint32: wengert.int32, wengert.uint64: wengert.int64}
AS_BYTES = UNSIGNED | {
    wengert.float16: wengert.int16, wengert.bfloat16: wengert.int16, wengert.bool: wengert.uint8,
}  # fmt: skip


def flat_array(tensor: Tensor) -> Any:
    """Return the memory of a contiguous tensor as an array of one dim, of its device's library."""
    if tensor.dtype in PLAIN and tensor.device.type == "cpu":
        array = tensor.detach().numpy()
        return array if array.ndim == 1 else array.reshape(-1)
    return host_or_device_array(tensor.detach() if tensor.dtype in PLAIN else as_plain(tensor.detach()))


def host_or_device_array(tensor: Tensor) -> Any:
    """Return the memory of a contiguous tensor that needs no gradient as an array of one dim, with its dtype."""
    if tensor.device.type == "cpu":
        array = tensor.numpy()
        return array if array.ndim == 1 else array.reshape(-1)
    import cupy

    return cupy.asarray(tensor).reshape(-1)


def array_size(tensor: Tensor) -> int:
    """Return the number of elements of the array with a tensor's elements: a complex one counts twice."""
    return tensor.numel() * (2 if tensor.is_complex() else 1)


def as_plain(tensor: Tensor) -> Tensor:
    """Return a contiguous tensor's memory under a dtype that every transport has."""
    if tensor.is_complex():
        return wengert.view_as_real(tensor)
    if tensor.dtype not in AS_BYTES:
        raise RuntimeError(f"Invalid scalar type: collectives do not take tensors of dtype {tensor.dtype}")
    return tensor.view(AS_BYTES[tensor.dtype])


def check_dense(tensor: Tensor) -> None:
    """Raise RuntimeError for a sparse tensor. Contiguous ones are none, and are not asked."""
    if tensor.layout is not wengert.strided:
        raise RuntimeError(
            f"unsupported layout {tensor.layout}: collectives take dense tensors; communicate indices() and values(), "
            "or to_dense()"
        )


def input_array(tensor: Tensor) -> Any:
    """Return an array with a tensor's elements: its memory where it is contiguous, else a copy."""
    if tensor.is_contiguous():
        return flat_array(tensor)
    check_dense(tensor)
    return flat_array(tensor.detach().contiguous())


def output_array(tensor: Tensor) -> tuple[Any, Callable[[], Any]]:
    """Return an array for a tensor's new elements, and the function that is called when they are there.

    It is the tensor's memory where that is contiguous.
    """
    if tensor.is_contiguous():
        return flat_array(tensor), partial(increment_version, tensor)
    check_dense(tensor)
    target = tensor.detach()
    made = wengert.empty(target.shape, dtype=target.dtype, device=target.device)
    return flat_array(made), partial(target.copy_, made)


class RunOfTensors:
    """Tensors of one dtype whose elements stand behind each other in an array: their memory, or a copy.

    reads: the array has the tensors' elements.
    """

    def __init__(self, tensors: Sequence[Tensor], reads: bool = False) -> None:
        self.tensors = tensors
        self.made: Tensor | None = None
        for tensor in tensors:
            check_dense(tensor)
        whole = memory_of_run(tensors)
        if whole is None:
            whole = self.made = (
                wengert.cat([tensor.detach().reshape(-1) for tensor in tensors]) if reads
                else wengert.empty(sum(t.numel() for t in tensors), dtype=tensors[0].dtype, device=tensors[0].device)
            )  # fmt: skip
        self.array: Any = flat_array(whole)

    def deliver(self) -> None:
        """Put new elements of the array into the tensors."""
        if self.made is None:
            increment_version(self.tensors)
            return
        first = 0
        for tensor in self.tensors:
            tensor.detach().copy_(self.made[first : first + tensor.numel()].view(tensor.shape))
            first += tensor.numel()


def memory_of_run(tensors: Sequence[Tensor]) -> Tensor | None:
    """Return the elements of tensors that lie behind each other in one storage as a tensor; None where they do not."""
    first = tensors[0]
    if len(tensors) == 1:
        return first.detach().view(-1) if first.is_contiguous() else None
    place, storage = first.storage_offset(), first.untyped_storage().data_ptr()
    for tensor in tensors:
        if (
            not tensor.is_contiguous() or tensor.storage_offset() != place
            or tensor.untyped_storage().data_ptr() != storage
        ):  # fmt: skip
            return None
        place += tensor.numel()
    return first.detach().as_strided((place - first.storage_offset(),), (1,))
