"""Collectives in which each rank sends to each: all_to_all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from wengert import Tensor

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.call import run
from wengert_distributed.collectives.memory import RunOfTensors, array_size, input_array, output_array
from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.interface.work import Work


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None, group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Split a tensor along dim 0, send a part to each rank, and put the parts received behind each other.

    input_split_sizes, output_split_sizes: the lengths along dim 0 of the parts to and from each rank; equal parts
    without them.   Returns a Work with ``async_op=True``, else None.
    Raises TypeError for what is no tensor, ValueError for different dtypes, RuntimeError for sizes that do not fit,
    DistBackendError where another rank fails. PyTorch's ``torch.distributed.all_to_all_single``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> received = wg.empty(2)
    >>> wg.distributed.all_to_all_single(received, wg.tensor([1.0, 2.0]))
    >>> received
    tensor([1., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(output, "output")
    checks.check_tensor(input, "input")
    checks.check_one_dtype(output, (input,))
    members = checks.active_group("all_to_all_single", group)
    if members is None:
        return None
    blocking, splits = members.blocking, output_split_sizes or input_split_sizes
    if blocking is not None and not async_op and not splits and blocking.all_to_all(output, input):
        return None
    counts = [split_counts(output, output_split_sizes, members), split_counts(input, input_split_sizes, members)]
    check_own_part("all_to_all_single", members.rank(), *counts)
    channel = checks.channel_for(members, output)
    checks.check_one_device(channel, members, [input])
    array, after = output_array(output)
    return run(channel, "all_to_all", (input.dtype, input.shape), channel.backend.all_to_all,
               (array, input_array(input), *counts), after, async_op, [output])  # fmt: skip


def split_counts(tensor: Tensor, sizes: Sequence[int] | None, group: ProcessGroup) -> list[int]:
    """Return the numbers of elements of the parts of a tensor for each rank. Raises RuntimeError for wrong sizes."""
    length = tensor.shape[0] if tensor.ndim else 1
    ranks = group.size()
    if not sizes:
        if length % ranks:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size: "
                               f"{list(tensor.shape)} for {ranks} ranks; give the split sizes")  # fmt: skip
        return [array_size(tensor) // ranks] * ranks
    if not all(isinstance(size, SupportsIndex) for size in sizes):
        raise TypeError(f"all_to_all_single(): incompatible function arguments. Split sizes are ints, not {sizes!r}")
    if len(sizes) != ranks:
        raise RuntimeError(f"Number of tensor splits not equal to group size: got {list(sizes)} for {ranks} ranks")
    if sum(sizes) != length or min(sizes) < 0:
        raise RuntimeError(f"Split sizes doesn't match total dim 0 size: got {list(sizes)} for {list(tensor.shape)}")
    row = array_size(tensor) // length if length else 0
    return [int(size) * row for size in sizes]


def check_own_part(name: str, rank: int, expected: Sequence[int], sent: Sequence[int]) -> None:
    """Raise RuntimeError where a rank expects another number of elements from itself than it sends."""
    if expected[rank] != sent[rank]:
        raise RuntimeError(f"{name}: invalid tensor size: rank {rank} sends {sent[rank]} elements to itself, but "
                           f"expects {expected[rank]} from itself")  # fmt: skip


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """Send a tensor of a list to each rank, and put the tensors received into another list.

    The tensors may have different shapes; the sender's has as many elements as the receiver's.
    Returns and raises as ``all_to_all_single``; RuntimeError for lists of another length than the group's size.
    PyTorch's ``torch.distributed.all_to_all``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> received = [wg.empty(2)]
    >>> wg.distributed.all_to_all(received, [wg.tensor([1.0, 2.0])])
    >>> received
    [tensor([1., 2.])]
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor_list(output_tensor_list, "output_tensor_list")
    checks.check_tensor_list(input_tensor_list, "input_tensor_list")
    checks.check_one_dtype(output_tensor_list, input_tensor_list)
    members = checks.active_group("all_to_all", group)
    if members is None:
        return None
    for tensors, role in ((output_tensor_list, "output"), (input_tensor_list, "input")):
        checks.check_length("all_to_all", members, tensors, role)
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.all_to_all(output_tensor_list, input_tensor_list):
        return None
    first = output_tensor_list[0]
    channel = checks.channel_for(members, first)
    checks.check_one_device(channel, members, [*output_tensor_list, *input_tensor_list])
    output, source = RunOfTensors(output_tensor_list), RunOfTensors(input_tensor_list, reads=True)
    counts = [[array_size(tensor) for tensor in tensors] for tensors in (output_tensor_list, input_tensor_list)]
    check_own_part("all_to_all", members.rank(), *counts)
    facts = (first.dtype, *(tensor.shape for tensor in input_tensor_list))
    return run(channel, "all_to_all", facts, channel.backend.all_to_all,
               (output.array, source.array, *counts), output.deliver, async_op, [*output_tensor_list])  # fmt: skip
