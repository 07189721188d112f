"""Parts of parameters, one for each rank, and the broadcast of each part by its rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

import wengert_distributed as dist


def partition(param_groups: Sequence[dict[str, Any]], ranks: int) -> list[list[dict[str, Any]]]:
    """Return the parameter groups of each rank: a group of each group, with a part of its parameters.

    The largest parameter goes first, each to the rank that has the fewest elements. Groups that are added later do not
    change the parts of those before.

    >>> import wengert as wg
    >>> parts = partition([{"params": [wg.ones(3), wg.ones(5), wg.ones(2)]}], 2)
    >>> [[param.shape[0] for param in groups[0]["params"]] for groups in parts]
    [[5], [3, 2]]
    """
    sizes = [0] * ranks
    result: list[list[dict[str, Any]]] = [[] for _ in range(ranks)]
    for group in param_groups:
        parts: list[list[Tensor]] = [[] for _ in range(ranks)]
        for param in sorted(group["params"], key=lambda one: one.numel(), reverse=True):
            rank = sizes.index(min(sizes))
            parts[rank].append(param)
            sizes[rank] += param.numel()
        options = {name: value for name, value in group.items() if name != "param_names"}
        for groups, part in zip(result, parts, strict=True):
            groups.append({**options, "params": part})
    return result


class ParameterBuckets:
    """Flat memory of the parameters of each rank and device, whose views the parameters become."""

    def __init__(self, parts: Sequence[Sequence[Tensor]]) -> None:
        self.flats: list[tuple[int, Tensor]] = []
        for rank, part in enumerate(parts):
            for params in by_device(part):
                flat = wengert.cat([param.detach().reshape(-1) for param in params])
                offset = 0
                for param in params:
                    param.data = flat[offset : offset + param.numel()].view(param.shape)
                    offset += param.numel()
                self.flats.append((rank, flat))

    def broadcast(self, group: Any) -> None:
        """Copy each rank's parameters to all others."""
        works = [dist.broadcast(flat, group=group, group_src=rank, async_op=True) for rank, flat in self.flats]
        for work in works:
            work.wait()


def broadcast_parts(parts: Sequence[Sequence[Tensor]], group: Any) -> None:
    """Copy the parameters of each rank to all others, one broadcast for each rank and device."""
    started = []
    for rank, part in enumerate(parts):
        for params in by_device(part):
            if rank == group.rank():
                flat = wengert.cat([param.detach().reshape(-1) for param in params])
            else:
                size = sum(param.numel() for param in params)
                flat = wengert.empty(size, dtype=params[0].dtype, device=params[0].device)
            started.append((rank, params, flat, dist.broadcast(flat, group=group, group_src=rank, async_op=True)))
    for rank, params, flat, work in started:
        work.wait()
        if rank != group.rank():
            parts_of_flat = flat.split([param.numel() for param in params])
            for param, values in zip(params, parts_of_flat, strict=True):
                param.copy_(values.view(param.shape))


def by_device(params: Sequence[Tensor]) -> list[list[Tensor]]:
    """Return parameters in lists of one device and dtype."""
    lists: dict[Any, list[Tensor]] = {}
    for param in params:
        lists.setdefault((param.device, param.dtype), []).append(param)
    return list(lists.values())


def to_cpu(value: Any) -> Any:
    """Return a value with copies of the tensors in its dicts, lists and tuples, in the host's memory."""
    if isinstance(value, Tensor):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return {key: to_cpu(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(to_cpu(one) for one in value)
    return value
