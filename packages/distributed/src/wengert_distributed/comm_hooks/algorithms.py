"""wengert.distributed.algorithms: algorithms on top of collectives."""

from __future__ import annotations

from wengert_distributed import comm_hooks as ddp_comm_hooks
from wengert_distributed.parallel import join
from wengert_distributed.parallel.join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable", "ddp_comm_hooks", "join"]
