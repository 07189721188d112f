"""Names for groups that always exist: ``group.WORLD``, ``GroupMember.NON_GROUP_MEMBER``."""

from __future__ import annotations

from typing import Any

from wengert_distributed.groups.world import NON_GROUP_MEMBER, current_world


class WorldKind(type):
    """The metaclass of classes with the default group as an attribute."""

    @property
    def WORLD(cls) -> Any:
        """The default process group; None before init_process_group."""
        return current_world().default


class group(metaclass=WorldKind):
    """The default process group as an attribute, ``group.WORLD``; None before init_process_group."""


class GroupMember(metaclass=WorldKind):
    """``GroupMember.WORLD``, the default group, and NON_GROUP_MEMBER, the group of a rank that is in none."""

    NON_GROUP_MEMBER = NON_GROUP_MEMBER
