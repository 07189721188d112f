"""The face for backends of process groups: what a plugin of ``wengert.process_groups.v1`` imports.

>>> from wengert_distributed.extend import ProcessGroup
>>> ProcessGroup.devices
('cpu',)
"""

from __future__ import annotations

from wengert_distributed.groups.world import World, set_thread_world
from wengert_distributed.interface.process_group import POINT_TO_POINT, Call, Peer, ProcessGroup, Request
from wengert_distributed.reduce_op import RedOpType

__all__ = ["POINT_TO_POINT", "Call", "Peer", "ProcessGroup", "RedOpType", "Request", "World", "set_thread_world"]
