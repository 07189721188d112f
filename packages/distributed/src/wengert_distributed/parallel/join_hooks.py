"""The part of DistributedDataParallel that ranks without inputs call. Note [Joined ranks] in join.py."""

from __future__ import annotations

from typing import Any

import wengert

import wengert_distributed as dist
from wengert_distributed.parallel.agreement import broadcast_tensors
from wengert_distributed.parallel.join import Join, JoinHook
from wengert_distributed.parallel.reducer import Reducer


class DataParallelJoinHook(JoinHook):
    """Takes part in the forward and backward passes of other ranks, with gradients of zero.

    Gradients are divided by the number of all ranks, or of those that have inputs. This rank's become those of the
    others, so that an optimizer whose state is divided over the ranks can make its part of the step.
    """

    def __init__(self, module: Any, divide_by_initial_world_size: bool) -> None:
        self.module = module
        module._divide_by_initial_world_size = divide_by_initial_world_size

    def main_hook(self) -> None:
        """Take part in a forward and a backward."""
        module, reducer = self.module, self.module._reducer
        if module.require_forward_param_sync and module.forward_sync_buffers and module._buffers_to_sync:
            broadcast_tensors(module._buffers_to_sync, module.process_group, highest_rank(module, False))
        module.require_forward_param_sync = reduces = any_rank_reduces(module, False)
        if reduces and reducer is not None:
            reducer.participants = None if module._divide_by_initial_world_size else self.nonjoined
            reduce_zeros(reducer)

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take over the parameters and buffers of a rank that had inputs until the end."""
        module = self.module
        if module._reducer is None:
            return
        module._reducer.participants = None
        root = highest_rank(module, is_last_joiner)
        tensors = list(module.module.named_parameters())
        if module.forward_sync_buffers:
            tensors += list(module.module.named_buffers())
        own = [tensor for name, tensor in tensors if name not in module.parameters_to_ignore]
        broadcast_tensors(own, module.process_group, root)


def begin_iteration(module: Any) -> int:
    """Tell the ranks without inputs that a forward begins; return the rank from which buffers are taken."""
    work = Join.notify_join_context(module)
    if work is not None:
        work.wait()
        participants = int(work.result()[0].item())
        if module._reducer is not None:
            module._reducer.participants = None if module._divide_by_initial_world_size else participants
    if not module._join_config.enable:
        return 0
    syncs = module.require_forward_param_sync and module.forward_sync_buffers and module._buffers_to_sync
    return highest_rank(module, True) if syncs else 0


def any_rank_reduces(module: Any, reduces: bool) -> bool:
    """Return whether a rank reduces its gradients in the backward of this iteration."""
    flag = wengert.tensor([float(reduces)], device=module.device)
    dist.all_reduce(flag, group=module.process_group)
    return bool(flag.item())


def highest_rank(module: Any, candidate: bool) -> int:
    """Return the highest rank that is a candidate. Raises RuntimeError where there is none."""
    rank = wengert.tensor([module.process_group.rank() if candidate else -1], device=module.device)
    dist.all_reduce(rank, op=dist.ReduceOp.MAX, group=module.process_group)
    if rank.item() < 0:
        raise RuntimeError("BUG! Expected rank_cond to be true for at least one process. This indicates a bug in the "
                           "use of Join: no rank has inputs")  # fmt: skip
    return int(rank.item())


def reduce_zeros(reducer: Reducer) -> None:
    """Take part in a reduction with gradients of zero, and take over the result."""
    for number, (_, view) in reducer.places.items():
        if reducer.options.find_unused and reducer.parameters[number].grad is view:
            reducer.saved[number] = view.clone()
    for number in reducer.options.sparse:
        reducer.parameters[number].grad = None
    with wengert.no_grad():
        for bucket in reducer.buckets:
            bucket.flat.zero_()
    for bucket in reducer.buckets:
        reducer.launched += 1
        reducer.begin_reduction(bucket)
    reducer.arrived = list(range(len(reducer.parameters) - 1, -1, -1))
    reducer.finalize()
