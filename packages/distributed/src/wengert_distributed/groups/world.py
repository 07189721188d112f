"""The process groups that this process is in; those of a thread where the thread is a rank of its own."""

from __future__ import annotations

import threading
from typing import Any

from wengert_distributed.groups.group import ProcessGroup

NON_GROUP_MEMBER = -100
"""The group that new_group returns to a rank that is not in it."""


class World:
    """The process groups that a rank is in, by name."""

    __slots__ = ("default", "groups", "number", "store")

    def __init__(self) -> None:
        self.default: ProcessGroup | None = None
        self.groups: dict[str, ProcessGroup] = {}
        self.number: int = 0
        """How many groups all ranks have made together; it names the next."""
        self.store: Any = None
        """The store that init_process_group was called with."""


class ThreadWorld(threading.local):
    """The world of this thread; None where it is the process'."""

    world: World | None = None


PROCESS = World()
THREAD = ThreadWorld()


def current_world() -> World:
    """Return the process groups of this rank."""
    return THREAD.world or PROCESS


def set_thread_world(world: World | None) -> None:
    """Set the process groups of this thread, which is a rank of its own; None for the process'."""
    THREAD.world = world


def default_group() -> ProcessGroup:
    """Return the group of all ranks. Raises ValueError before init_process_group."""
    group = (THREAD.world or PROCESS).default
    if group is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return group


def find_group(group: Any) -> ProcessGroup | None:
    """Return a group, the default one for None, or None where this rank is not a member.

    Raises ValueError for what is no group, or one that was destroyed.
    """
    if group is None:
        return default_group()
    if group.__class__ is ProcessGroup and current_world().groups.get(group.group_name) is group:
        return group
    if type(group) is int and group == NON_GROUP_MEMBER:
        return None
    raise ValueError(f"Process group {group} is not initialized in the world group map. "
                     "Please initialize the group first.")  # fmt: skip


def registered_group(group: Any) -> ProcessGroup | None:
    """Return a group as ``find_group`` does, with the words of PyTorch's functions about ranks."""
    try:
        return find_group(group)
    except ValueError:
        if current_world().default is None:
            raise
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API"
                         ) from None  # fmt: skip


def member_group(group: Any) -> ProcessGroup:
    """Return a group that this rank is a member of. Raises ValueError where it is not."""
    found = find_group(group)
    if found is None:
        raise ValueError("Invalid process group specified: this rank is not a member of the group")
    return found
