"""wengert.distributed.algorithms: algorithms on top of collectives."""

from __future__ import annotations

from wengert_distributed import comm_hooks as ddp_comm_hooks

__all__ = ["ddp_comm_hooks"]
