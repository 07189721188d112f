"""Communication hooks, as in torch.distributed: how a bucket of gradients is reduced.

>>> import wengert as wg
>>> from wengert_distributed.comm_hooks import DDPCommHookType, register_ddp_comm_hook
>>> wg.distributed.init_process_group("self")
>>> model = wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(2, 1))
>>> register_ddp_comm_hook(DDPCommHookType.FP16_COMPRESS, model)
>>> wg.distributed.destroy_process_group()
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from wengert_distributed.comm_hooks import debugging_hooks as debugging
from wengert_distributed.comm_hooks import default_hooks as default
from wengert_distributed.comm_hooks import power_sgd as powerSGD

__all__ = ["DDPCommHookType", "debugging", "default", "powerSGD", "register_ddp_comm_hook"]


class DDPCommHookType(Enum):
    """Names of communication hooks, for ``register_ddp_comm_hook``."""

    ALLREDUCE = "allreduce_hook"
    FP16_COMPRESS = "fp16_compress_hook"
    BF16_COMPRESS = "bf16_compress_hook"
    POWER_SGD = "powerSGD_hook of rank 1"
    POWER_SGD_RANK2 = "powerSGD_hook of rank 2"
    BATCHED_POWER_SGD = "batched_powerSGD_hook of rank 1"
    BATCHED_POWER_SGD_RANK2 = "batched_powerSGD_hook of rank 2"
    NOOP = "noop_hook"


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register a communication hook of a DistributedDataParallel by its name.

    state: the hook's state, a process group or None for all ranks; PowerSGD makes its own state for this group.
    """
    name, _, rank = comm_hook_type.value.partition(" of rank ")
    if rank:
        state = powerSGD.PowerSGDState(state, matrix_approximation_rank=int(rank))
    for module in (default, powerSGD, debugging):
        hook = getattr(module, name, None)
        if hook is not None:
            model.register_comm_hook(state, hook)
            return
