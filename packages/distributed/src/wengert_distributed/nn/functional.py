"""Collectives with derivatives, by the names and arguments of ``torch.distributed.nn.functional``.

The functions return new tensors, have derivatives of all orders in reverse and in forward mode, and run under vmap,
where a batch is one message. The gradient of a tensor is that of the sum of the losses of all ranks. All ranks of the
group call them in the same order, with tensors of the same dtype that require grad on all ranks or on none.

Unlike in PyTorch, PRODUCT, MIN and MAX have the derivative of what they compute (tensors that tie share the gradient of
a minimum or maximum), and ``reduce`` divides the gradient of AVG as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor
from wengert_engine.extend import current_vmap_level

from wengert_distributed.functional import ops, point_to_point, reductions
from wengert_distributed.functional.group_argument import split_sizes, stack_for_ranks
from wengert_distributed.groups.world import member_group
from wengert_distributed.reduce_op import ReduceOp

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
]


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """Return the tensor of the rank src on all ranks.

    tensor: of the same shape and dtype on all ranks; only the values of src are used. src: a rank of the world.
    The gradient of src's tensor is the sum of the gradients of all ranks, that of another rank's tensor is zero.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.broadcast(wg.ones(2), 0)
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return ops.broadcast(tensor, src, member_group(group))


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the reduction of the tensors of all ranks, which is the same on each of them.

    tensor: of the same shape and dtype on all ranks. op: a ReduceOp; one for bits has no derivative.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> x = wg.ones(2, requires_grad=True)
    >>> wg.distributed.nn.functional.all_reduce(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return reductions.all_reduce(tensor, op, member_group(group))


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the reduction of the tensors of all ranks on the rank dst, and zeros on the other ranks.

    tensor: of the same shape and dtype on all ranks. dst: a rank of the world. op: a ReduceOp.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.reduce(wg.ones(2), 0)
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return reductions.reduce(tensor, dst, op, member_group(group))


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """Return a tuple with the tensor of each rank.

    tensor: of the same shape and dtype on all ranks. The results are views of one tensor.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.all_gather(wg.ones(2))
    (tensor([1., 1.]),)
    >>> wg.distributed.destroy_process_group()
    """
    return tuple(ops.all_gather(tensor, member_group(group)).unbind(0))


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """Return a tuple with the tensor of each rank on the rank dst, and with zeros on the other ranks.

    tensor: of the same shape and dtype on all ranks. dst: a rank of the world.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.gather(wg.ones(2))
    (tensor([1., 1.]),)
    >>> wg.distributed.destroy_process_group()
    """
    return tuple(ops.gather(tensor, dst, member_group(group)).unbind(0))


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """Return the tensor that the rank src has for this one.

    tensors: one for each rank, of the same shape and dtype; on other ranks than src their values are not used.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.scatter([wg.ones(2)])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    return ops.scatter(stack_for_ranks("scatter", tensors, group), src, group)


def reduce_scatter(output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the reduction of the tensors that all ranks have for this one.

    output: gets the values as well, without a derivative. input_list: a tensor for each rank, of output's shape and
    dtype. op: a ReduceOp.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.reduce_scatter(wg.empty(2), [wg.ones(2)])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    result = reductions.reduce_scatter(stack_for_ranks("reduce_scatter", input_list, group), op, group)
    fill(output, result)
    return result


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """Send a tensor to each rank and return a tuple of the tensors that they have for this one.

    input_tensor_list: a tensor for each rank, of one dtype and of any shapes. output_tensor_list: tensors of the shapes
    that are received; they get the values as well, without a derivative.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.all_to_all([wg.empty(2)], [wg.ones(2)])
    (tensor([1., 1.]),)
    >>> wg.distributed.destroy_process_group()
    """
    group, shapes = member_group(group), [tensor.shape for tensor in output_tensor_list]
    sizes, flat = [prod(shape) for shape in shapes], wc.cat([tensor.reshape(-1) for tensor in input_tensor_list])
    received = ops.all_to_all_single(flat, sizes, [tensor.numel() for tensor in input_tensor_list], group)
    results = tuple(part.reshape(shape) for part, shape in zip(received.split(sizes), shapes, strict=True))
    for output, result in zip(output_tensor_list, results, strict=True):
        fill(output, result)
    return results


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
) -> Tensor:
    """Send a part of a tensor to each rank and return the concatenation of the parts that they have for this one.

    The parts are along dim 0; input_split_sizes and output_split_sizes have the size of each, None stands for equal
    parts. output: of the shape that is received; it gets the values as well, without a derivative.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.all_to_all_single(wg.empty(2), wg.ones(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    result = ops.all_to_all_single(
        input, split_sizes(output, output_split_sizes, group), split_sizes(input, input_split_sizes, group), group
    )
    fill(output, result)
    return result


def send(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> Tensor:
    """Send a tensor to the rank dst and return a token, a zero without dims, through which its gradient is received.

    A backward through the token waits for the gradient from dst, so the token has to be part of what is differentiated:
    it is added to the loss, or passed to a later ``recv``. tensor: requires grad where the tensor passed to ``recv`` on
    dst does.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.send(wg.ones(2), 0)
    Traceback (most recent call last):
    ValueError: Invalid destination rank: destination rank should not be the same as the rank of the current process...
    >>> wg.distributed.destroy_process_group()
    """
    return point_to_point.send(tensor, dst, tag, member_group(group))


def recv(tensor: Tensor, src: int, group: Any = None, tag: int = 0, token: Tensor | None = None) -> Tensor:
    """Return the tensor that the rank src sends; backward sends the gradient to src.

    tensor: of the shape and dtype that is received; its values are not used and its gradient is zero. It requires grad
    where the tensor that src sends does. token: of an earlier ``send``, whose gradient is then received after this
    one's has been sent, as on a ring of ranks.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.nn.functional.recv(wg.empty(2), 0)
    Traceback (most recent call last):
    ValueError: Invalid source rank: source rank should not be the same as the rank of the current process...
    >>> wg.distributed.destroy_process_group()
    """
    return point_to_point.recv(tensor, token, src, tag, member_group(group))


def fill(output: Tensor, result: Tensor) -> None:
    """Write a result to the tensor that was passed for it; under vmap that tensor only has the shape."""
    if not current_vmap_level():
        output.detach().copy_(result.detach())
