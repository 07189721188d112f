"""Collectives that move tensors from one rank to all, or from all to one or all: broadcast, gather, scatter."""

from __future__ import annotations

from typing import Any

from wengert import Tensor

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.call import run
from wengert_distributed.collectives.memory import RunOfTensors, input_array, output_array
from wengert_distributed.interface.work import Work


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Copy the tensor of one rank into those of all others.

    tensor: any shape and dtype, the same on all ranks.   src: the rank to copy from, as a global rank; or group_src, a
    rank in the group.   Returns a Work with ``async_op=True``, else None.
    Raises TypeError for what is no tensor, ValueError before init_process_group, RuntimeError for a rank that does not
    exist, DistBackendError where another rank fails. PyTorch's ``torch.distributed.broadcast``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.broadcast(wg.ones(2), src=0)
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(tensor, "tensor")
    members = checks.active_group("broadcast", group)
    if members is None:
        return None
    root = checks.group_rank(members, src, group_src, "src")
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.broadcast(tensor, root):
        return None
    channel = checks.channel_for(members, tensor)
    facts = (tensor.dtype, tensor.shape, f"from rank {root}")
    if members.rank() == root:
        return run(channel, "broadcast", facts, channel.backend.broadcast, (input_array(tensor), root), None, async_op,
                   [tensor])  # fmt: skip
    array, after = output_array(tensor)
    return run(channel, "broadcast", facts, channel.backend.broadcast, (array, root), after, async_op, [tensor])


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Put the tensors of all ranks, rank after rank, into one tensor on every rank.

    output_tensor: as many elements as the inputs of all ranks together: concatenated or stacked along dim 0.
    Returns and raises as ``broadcast``; RuntimeError for sizes or dtypes that do not fit.
    PyTorch's ``torch.distributed.all_gather_into_tensor``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> everything = wg.empty(2)
    >>> wg.distributed.all_gather_into_tensor(everything, wg.tensor([1.0, 2.0]))
    >>> everything
    tensor([1., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(output_tensor, "output_tensor")
    checks.check_tensor(input_tensor, "input_tensor")
    members = checks.active_group("all_gather_into_tensor", group)
    if members is None:
        return None
    checks.check_parts("all_gather_into_tensor", members, whole=output_tensor, part=input_tensor, part_name="input")
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.all_gather(output_tensor, input_tensor):
        return None
    channel = checks.channel_for(members, output_tensor)
    checks.check_one_device(channel, members, [input_tensor])
    array, after = output_array(output_tensor)
    return run(channel, "all_gather", (input_tensor.dtype, input_tensor.shape), channel.backend.all_gather,
               (array, input_array(input_tensor)), after, async_op, [output_tensor])  # fmt: skip


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Put the tensors of all ranks, rank after rank, into one tensor: the newer name of ``all_gather_into_tensor``.

    Shapes, results and errors are the same. PyTorch's ``torch.distributed.all_gather_single``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.all_gather_single(wg.empty(2), wg.ones(2))
    >>> wg.distributed.destroy_process_group()
    """
    return all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Put the tensors of all ranks into a list of tensors on every rank.

    tensor_list: a tensor of tensor's shape and dtype for each rank, which is written to. Where they are parts of one
    tensor, one behind the other, nothing is copied.
    Returns and raises as ``broadcast``; RuntimeError for a list of another length or other shapes, ValueError for other
    dtypes. PyTorch's ``torch.distributed.all_gather``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> parts = [wg.empty(2)]
    >>> wg.distributed.all_gather(parts, wg.tensor([1.0, 2.0]))
    >>> parts
    [tensor([1., 2.])]
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor_list(tensor_list, "tensor_list")
    checks.check_tensor(tensor, "tensor")
    checks.check_one_dtype(tensor_list, (tensor,))
    members = checks.active_group("all_gather", group)
    if members is None:
        return None
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.all_gather(tensor_list, tensor):
        return None
    checks.check_list("all_gather", members, tensor_list, tensor, "output")
    channel = checks.channel_for(members, tensor)
    checks.check_one_device(channel, members, tensor_list)
    output = RunOfTensors(tensor_list)
    return run(channel, "all_gather", (tensor.dtype, tensor.shape), channel.backend.all_gather,
               (output.array, input_array(tensor)), output.deliver, async_op, [*tensor_list])  # fmt: skip


def gather(
    tensor: Tensor, gather_list: list[Tensor] | None = None, dst: int | None = None, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the tensors of all ranks into a list of tensors on one rank.

    gather_list: a tensor of tensor's shape and dtype for each rank, on the rank that gets them; None on others.
    dst: that rank, as a global rank (0 without it); or group_dst, a rank in the group.
    Returns and raises as ``broadcast``; ValueError for a list that is missing or on another rank, RuntimeError for one
    of another length or other shapes. PyTorch's ``torch.distributed.gather``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> parts = [wg.empty(2)]
    >>> wg.distributed.gather(wg.tensor([1.0, 2.0]), parts, dst=0)
    >>> parts
    [tensor([1., 2.])]
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(tensor, "tensor")
    if gather_list:
        checks.check_tensor_list(gather_list, "gather_list")
        checks.check_one_dtype(tensor, gather_list)
    members = checks.active_group("gather", group)
    if members is None:
        return None
    root = checks.group_rank(members, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    checks.check_list_on_root("gather_list", gather_list, members.rank() == root, "destination")
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.gather(tensor, gather_list, root):
        return None
    channel = checks.channel_for(members, tensor)
    facts = (tensor.dtype, tensor.shape, f"to rank {root}")
    if not gather_list:
        return run(channel, "gather", facts, channel.backend.gather, (None, input_array(tensor), root), None, async_op,
                   [tensor])  # fmt: skip
    checks.check_list("gather", members, gather_list, tensor, "output")
    checks.check_one_device(channel, members, gather_list)
    output = RunOfTensors(gather_list)
    return run(channel, "gather", facts, channel.backend.gather, (output.array, input_array(tensor), root),
               output.deliver, async_op, [*gather_list])  # fmt: skip


def scatter(
    tensor: Tensor, scatter_list: list[Tensor] | None = None, src: int | None = None, group: Any = None,
    async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give each rank its entry of a list of tensors of one rank, in tensor.

    scatter_list: a tensor of tensor's shape and dtype for each rank, on the rank that has them; None on others.
    src: that rank, as a global rank (0 without it); or group_src, a rank in the group.
    Returns and raises as ``gather``. PyTorch's ``torch.distributed.scatter``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> part = wg.empty(2)
    >>> wg.distributed.scatter(part, [wg.tensor([1.0, 2.0])], src=0)
    >>> part
    tensor([1., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(tensor, "tensor")
    if scatter_list:
        checks.check_tensor_list(scatter_list, "scatter_list")
        checks.check_one_dtype(tensor, scatter_list)
    members = checks.active_group("scatter", group)
    if members is None:
        return None
    root = checks.group_rank(members, 0 if src is None and group_src is None else src, group_src, "src")
    checks.check_list_on_root("scatter_list", scatter_list, members.rank() == root, "source")
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.scatter(tensor, scatter_list, root):
        return None
    channel = checks.channel_for(members, tensor)
    array = None
    if scatter_list:
        checks.check_list("scatter", members, scatter_list, tensor, "input")
        checks.check_one_device(channel, members, scatter_list)
        array = RunOfTensors(scatter_list, reads=True).array
    output, after = output_array(tensor)
    return run(channel, "scatter", (tensor.dtype, tensor.shape, f"from rank {root}"), channel.backend.scatter,
               (output, array, root), after, async_op, [tensor])  # fmt: skip
