"""Collectives that reduce: all_reduce, reduce, reduce_scatter."""

from __future__ import annotations

from functools import partial
from typing import Any

import wengert
from wengert import Tensor
from wengert.autograd.graph import increment_version

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.call import new, run
from wengert_distributed.collectives.memory import PLAIN
from wengert_distributed.collectives.reductions import PLAIN_KINDS, plan_reduction, reduction_array
from wengert_distributed.groups.world import default_group
from wengert_distributed.interface.process_group import Call
from wengert_distributed.interface.work import Channel, Work, complete
from wengert_distributed.reduce_op import RedOpType, ReduceOp

SUM, AVG = RedOpType.SUM, RedOpType.AVG
AT_ONCE: dict[Any, RedOpType] = {kind: kind for kind in PLAIN_KINDS}
"""Reductions that every transport has."""


def all_reduce(
    tensor: Tensor, op: ReduceOp | RedOpType = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce the tensors of all ranks elementwise, in place: every rank has the result.

    tensor: any shape and dtype, the same on all ranks. float16 and bfloat16 are reduced in float32 and rounded once.
    Returns a Work with ``async_op=True``, else None, as on a rank outside the group.
    Raises TypeError for what is no tensor or reduction, ValueError before init_process_group and for complex tensors
    with PRODUCT, MIN or MAX, RuntimeError for an average of integers or bitwise reductions of floats, DistBackendError
    where another rank fails. PyTorch's ``torch.distributed.all_reduce``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> x = wg.tensor([1.0, 2.0])
    >>> wg.distributed.all_reduce(x, op=wg.distributed.ReduceOp.MAX)
    >>> x
    tensor([1., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    if type(tensor) is not Tensor:
        checks.check_tensor(tensor, "tensor")
    members = default_group() if group is None else checks.active_group("all_reduce", group)
    if members is None:
        return None
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.all_reduce(tensor, op):
        return None
    channel = members.host
    if channel is not None and tensor.dtype in PLAIN and tensor.is_contiguous() and tensor.device.type == "cpu":
        kind = AT_ONCE.get(op) if op is not AVG else SUM if tensor.dtype.is_floating_point else None
        if kind is not None:
            return _all_reduce_at_once(tensor, op, kind, channel, async_op)
    channel = checks.channel_for(members, tensor)
    plan = plan_reduction("all_reduce", tensor, op, channel.backend)
    work = plan.working_copy(tensor)
    return run(channel, "all_reduce", (op, tensor.dtype, tensor.shape), channel.backend.all_reduce,
               (reduction_array(work), plan.kind), partial(plan.deliver, work, tensor), async_op, [tensor])  # fmt: skip


def _all_reduce_at_once(
    tensor: Tensor, op: ReduceOp | RedOpType, kind: RedOpType, channel: Channel, async_op: bool
) -> Work | None:
    """Reduce the host's memory of a tensor as it is. Note [Fast path]"""
    array = tensor.detach().numpy()
    flat = array if array.ndim == 1 else array.reshape(-1)
    facts, backend = (op, array.dtype, array.shape), channel.backend
    if async_op:
        after = partial(_deliver, tensor, flat, op, backend.size)
        return run(channel, "all_reduce", facts, backend.all_reduce, (flat, kind), after, True, [tensor])
    channel.count = number = channel.count + 1
    complete(channel, new(Call, (number, "all_reduce", facts)), backend.all_reduce, (flat, kind))
    if op is AVG:
        flat /= backend.size
    increment_version(tensor)
    return None


def _deliver(tensor: Tensor, array: Any, op: Any, size: int) -> None:
    """Divide the sum in the memory of a tensor for an average, and note the change."""
    if op is AVG:
        array /= size
    increment_version(tensor)


def reduce(
    tensor: Tensor, dst: int | None = None, op: ReduceOp | RedOpType = SUM, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Reduce the tensors of all ranks elementwise into that of one rank, in place; the others' may change.

    tensor: any shape and dtype, the same on all ranks.   dst: the rank that gets the result, as a global rank; or
    group_dst, a rank in the group.   Returns and raises as ``all_reduce``; RuntimeError for a rank that does not exist.
    PyTorch's ``torch.distributed.reduce``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.reduce(wg.ones(2), dst=0)
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(tensor, "tensor")
    members = checks.active_group("reduce", group)
    if members is None:
        return None
    root = checks.group_rank(members, dst, group_dst, "dst")
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.reduce(tensor, root, op):
        return None
    channel = checks.channel_for(members, tensor)
    plan = plan_reduction("reduce", tensor, op, channel.backend)
    work = plan.working_copy(tensor)
    after = partial(plan.deliver, work, tensor) if members.rank() == root else None
    facts = (op, tensor.dtype, tensor.shape, f"to rank {root}")
    return run(channel, "reduce", facts, channel.backend.reduce, (reduction_array(work), root, plan.kind), after,
               async_op, [tensor])  # fmt: skip


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: ReduceOp | RedOpType = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce the input tensors of all ranks elementwise and give each rank its part in output.

    input: as many elements as the outputs of all ranks together, rank after rank: concatenated or stacked along dim 0.
    Returns and raises as ``all_reduce``; RuntimeError for sizes or dtypes that do not fit.
    PyTorch's ``torch.distributed.reduce_scatter_tensor``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> part = wg.empty(2)
    >>> wg.distributed.reduce_scatter_tensor(part, wg.tensor([1.0, 2.0]))
    >>> part
    tensor([1., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(output, "output")
    checks.check_tensor(input, "input")
    members = checks.active_group("reduce_scatter_tensor", group)
    if members is None:
        return None
    checks.check_parts("reduce_scatter_tensor", members, whole=input, part=output, part_name="output")
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.reduce_scatter(output, input, op):
        return None
    return _reduce_scatter("reduce_scatter_tensor", output, input, op, members, async_op)


def reduce_scatter_single(
    output: Tensor, input: Tensor, op: ReduceOp | RedOpType = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce the input tensors of all ranks and give each its part: the newer name of ``reduce_scatter_tensor``.

    Shapes, results and errors are the same. PyTorch's ``torch.distributed.reduce_scatter_single``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.reduce_scatter_single(wg.empty(2), wg.ones(2))
    >>> wg.distributed.destroy_process_group()
    """
    return reduce_scatter_tensor(output, input, op, group, async_op)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: ReduceOp | RedOpType = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce lists of tensors of all ranks elementwise; each rank gets its entry of the reduced list in output.

    input_list: a tensor of output's shape and dtype for each rank.
    Returns and raises as ``all_reduce``; RuntimeError for a list of another length or other shapes, ValueError for
    other dtypes. PyTorch's ``torch.distributed.reduce_scatter``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> part = wg.empty(2)
    >>> wg.distributed.reduce_scatter(part, [wg.tensor([1.0, 2.0])])
    >>> part
    tensor([1., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor(output, "output")
    checks.check_tensor_list(input_list, "input_list")
    checks.check_one_dtype(output, input_list)
    members = checks.active_group("reduce_scatter", group)
    if members is None:
        return None
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.reduce_scatter(output, input_list, op):
        return None
    checks.check_list("reduce_scatter", members, input_list, output, "input")
    return _reduce_scatter("reduce_scatter", output, stack_tensors(input_list), op, members, async_op)


def stack_tensors(tensors: list[Tensor]) -> Tensor:
    """Return tensors of one shape behind each other: a copy."""
    return wengert.stack([tensor.detach() for tensor in tensors])


def _reduce_scatter(
    name: str, output: Tensor, input: Tensor, op: ReduceOp | RedOpType, members: Any, async_op: bool
) -> Work | None:
    """Reduce an input whose elements stand rank after rank."""
    channel = checks.channel_for(members, output)
    checks.check_one_device(channel, members, [input])
    plan = plan_reduction(name, input, op, channel.backend)
    work, result = plan.working_copy(input), plan.working_memory(output)
    return run(channel, "reduce_scatter", (op, input.dtype, input.shape), channel.backend.reduce_scatter,
               (reduction_array(result), reduction_array(work), plan.kind), partial(plan.deliver, result, output),
               async_op, [output])  # fmt: skip
