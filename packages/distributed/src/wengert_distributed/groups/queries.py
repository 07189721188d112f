"""Ranks and sizes of process groups, and translations between ranks."""

from __future__ import annotations

from typing import Any

from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.world import current_world, default_group, find_group, registered_group


def is_initialized() -> bool:
    """Return whether there is a default process group."""
    return current_world().default is not None


def get_rank(group: Any = None) -> int:
    """Return the rank of this process in a group, -1 where it is no member.

    Raises ValueError before init_process_group. PyTorch's ``torch.distributed.get_rank``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.get_rank(), wg.distributed.get_world_size()
    (0, 1)
    >>> wg.distributed.destroy_process_group()
    """
    members = registered_group(group)
    return -1 if members is None else members.rank()


def get_world_size(group: Any = None) -> int:
    """Return the number of ranks in a group, -1 where this process is no member.

    Raises ValueError before init_process_group. PyTorch's ``torch.distributed.get_world_size``.
    """
    members = registered_group(group)
    return -1 if members is None else members.size()


def get_backend(group: Any = None) -> str:
    """Return the name of a group's backend: "mpi", "nccl".

    Raises ValueError before init_process_group, and where this process is no member.
    PyTorch's ``torch.distributed.get_backend``.
    """
    members = find_group(group)
    if members is None:
        raise ValueError("Invalid process group specified")
    return members.name()


def get_backend_config(group: Any = None) -> str:
    """Return the backend of each kind of device: "cpu:mpi,cuda:nccl".

    Raises as ``get_backend``. PyTorch's ``torch.distributed.get_backend_config``.
    """
    members = registered_group(group)
    if members is None:
        raise ValueError("Invalid process group specified")
    return members.backend_config()


def get_process_group_ranks(group: Any = None) -> list[int]:
    """Return the global ranks of a group, in the order of the group's own.

    Raises ValueError before init_process_group. PyTorch's ``torch.distributed.get_process_group_ranks``.
    """
    members = registered_group(group)
    return [] if members is None else list(members.ranks)


def get_group_rank(group: Any, global_rank: int) -> int:
    """Return the rank in a group of a global rank. Raises ValueError where it is not in the group.

    PyTorch's ``torch.distributed.get_group_rank``.
    """
    members = translating_group(group)
    if members is default_group():
        return global_rank
    if members is None or global_rank not in members.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return members.ranks.index(global_rank)


def get_global_rank(group: Any, group_rank: int) -> int:
    """Return the global rank of a rank in a group. Raises ValueError where the group has no such rank.

    PyTorch's ``torch.distributed.get_global_rank``.
    """
    members = translating_group(group)
    if members is default_group():
        return group_rank
    if members is None or not 0 <= group_rank < members.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return members.ranks[group_rank]


def translating_group(group: Any) -> ProcessGroup | None:
    """Return a group whose ranks are translated. Raises ValueError for None, as PyTorch does."""
    if group is None:
        default_group()
        raise ValueError("Group None is not registered, please create group with torch.distributed.new_group API")
    return registered_group(group)


def get_pg_count() -> int:
    """Return the number of process groups that all ranks have made together, also those that this one is not in.

    PyTorch's ``torch.distributed.get_pg_count``.
    """
    world = current_world()
    return 0 if world.default is None else world.number
