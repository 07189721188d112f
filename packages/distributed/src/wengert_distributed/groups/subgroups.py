"""Groups of some of the ranks: new_group, split_group, new_subgroups."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import timedelta
from operator import index
from typing import Any, SupportsIndex

from wengert_distributed.groups.backends import backends_by_device
from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.world import NON_GROUP_MEMBER, current_world, default_group, member_group
from wengert_distributed.interface.process_group import ProcessGroup as Transport
from wengert_distributed.interface.work import seconds_of

LOCAL_NUMBERS = 1 << 14
"""Numbers of groups that only their members know of are above this and below twice this, within MPI's tags."""


def new_group(
    ranks: Sequence[int] | None = None, timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False, group_desc: str | None = None,
    device_id: Any = None, sort_ranks: bool = True,
) -> Any:  # fmt: skip
    """Return a group of some ranks; ``GroupMember.NON_GROUP_MEMBER`` on the others.

    All ranks call it, also those that are not in it, and make their groups in the same order; with
    use_local_synchronization only its members; another rank that calls it gets None.
    ranks: global ranks; all of them for None. The group has them sorted, or in this order with ``sort_ranks=False``.
    timeout: the default group's without it.   backend: one of the default group's; all of them without it.
    Raises ValueError before init_process_group, for ranks that repeat or do not exist, and for none, TypeError for
    ranks that are no ints and a timeout that is no timedelta. PyTorch's ``torch.distributed.new_group``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> group = wg.distributed.new_group([0])
    >>> wg.distributed.get_process_group_ranks(group)
    [0]
    >>> wg.distributed.destroy_process_group()
    """
    everyone = default_group()
    seconds = None if timeout is None else seconds_of(timeout)
    members = check_ranks(ranks, everyone, sort_ranks)
    transports = chosen_transports(everyone, backend)
    return make_group(everyone, members, transports, seconds, group_desc, use_local_synchronization)


def make_group(
    parent: ProcessGroup, members: list[int], transports: dict[str, Transport], seconds: float | None,
    description: str | None = None, only_members: bool = False,
) -> Any:  # fmt: skip
    """Return a group of members of a parent, by their ranks in it."""
    world = current_world()
    if only_members:
        if parent.rank() not in members:
            return None
        made = sum(one.ranks == tuple(parent.ranks[rank] for rank in members) for one in world.groups.values())
        number = LOCAL_NUMBERS + zlib.crc32(repr((members, made)).encode()) % LOCAL_NUMBERS
        name = f"local_{number}_{made}"
    else:
        number = world.number
        name = str(number)
        world.number += 1
    parts = {id(one): one.split(members, number) for one in transports.values()}
    own = {device: part for device, one in transports.items() if (part := parts[id(one)]) is not None}
    if not own:
        return NON_GROUP_MEMBER
    if seconds is None:
        seconds = parent.distinct()[0].seconds
    group = ProcessGroup(name, [parent.ranks[rank] for rank in members], own, seconds, description or "undefined")
    world.groups[name] = group
    return group


def chosen_transports(parent: ProcessGroup, backend: str | None) -> dict[str, Transport]:
    """Return a group's transports, or those that a backend's name means. Raises ValueError where it has no such."""
    transports = {device: channel.backend for device, channel in parent.channels.items()}
    if backend is None:
        return transports
    names = backends_by_device(backend)
    chosen = {device: one for device, one in transports.items() if names.get(device) == one.backend}
    if not chosen:
        raise ValueError(f"the default process group has no backend {backend}: it has {parent.backend_config()}; name "
                         "all backends in init_process_group, as in 'cpu:mpi,cuda:nccl'")  # fmt: skip
    return chosen


def check_ranks(ranks: Any, parent: ProcessGroup, sort: bool = True) -> list[int]:
    """Return ranks, all for None. Raises as ``new_group``."""
    if ranks is None:
        return list(range(parent.size()))
    if not all(isinstance(rank, SupportsIndex) for rank in ranks):
        raise TypeError(f"incompatible function arguments. Ranks are ints, but got {ranks!r}")
    members = list(map(index, ranks))
    if sort:
        members.sort()
    if len(members) > parent.size():
        raise ValueError("the new group's world size should be less or equal to the world size set by "
                         f"init_process_group: got {members} for {parent.size()} ranks")  # fmt: skip
    for rank in members:
        if not 0 <= rank < parent.size():
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {parent.size() - 1} "
                             f"(world_size={parent.size()})")  # fmt: skip
    if len(set(members)) < len(members):
        raise ValueError(f"ranks list must not contain duplicate entries, got {list(ranks)}")
    if not members:
        raise ValueError("ranks list must not be empty")
    return members


def split_group(
    parent_pg: Any = None, split_ranks: list[list[int]] | None = None, timeout: timedelta | None = None,
    pg_options: Any = None, group_desc: str | None = None, backend: str | None = None,
) -> Any:  # fmt: skip
    """Return the part of a group that this rank is in, None where it is in none. All ranks of the group call it.

    parent_pg: the default group without it.   split_ranks: for each part, its ranks in the parent group.
    Raises ValueError before init_process_group, for lists that are missing or empty, and for a rank in two parts.
    PyTorch's ``torch.distributed.split_group``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.split_group(split_ranks=[[0]]).size()
    1
    >>> wg.distributed.destroy_process_group()
    """
    parent = member_group(parent_pg)
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    seconds = None if timeout is None else seconds_of(timeout)
    parts = [check_ranks(ranks, parent) for ranks in split_ranks]
    together = [rank for part in parts for rank in part]
    if len(set(together)) < len(together):
        raise ValueError(f"the split groups cannot have duplicate ranks: got {split_ranks}")
    transports = chosen_transports(parent, backend)
    made = [make_group(parent, part, transports, seconds, group_desc) for part in parts]
    return next((one for one in made if one != NON_GROUP_MEMBER), None)


def new_subgroups(
    group_size: int | None = None, group: Any = None, timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Divide all ranks into groups of one size; return this rank's and the list of all.

    group_size: a divisor of the number of ranks. Raises ValueError for any other, and before init_process_group.
    PyTorch's ``torch.distributed.new_subgroups``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> own, groups = wg.distributed.new_subgroups(1)
    >>> own is groups[0]
    True
    >>> wg.distributed.destroy_process_group()
    """
    size = default_group().size()
    if group_size is None:
        raise ValueError("Default group size only takes effect when CUDA is available: pass in 'group_size', the "
                         "number of ranks of each group")  # fmt: skip
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if group_size > size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by group_size={group_size!r}")
    parts = [list(range(first, first + group_size)) for first in range(0, size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]], timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Make a group for each list of ranks; return the one that this rank is in (or None) and the list of all.

    Raises ValueError for lists that are missing, or for a rank in two of them.
    PyTorch's ``torch.distributed.new_subgroups_by_enumeration``.
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen: dict[int, list[int]] = {}
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {ranks}")
            seen[rank] = ranks
    groups = [
        new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list
    ]
    return next((one for one in groups if one != NON_GROUP_MEMBER), None), groups
