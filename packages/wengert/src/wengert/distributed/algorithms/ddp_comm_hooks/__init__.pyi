# Written by tools/generate/module_stubs.py.
from wengert.distributed.algorithms.ddp_comm_hooks import debugging_hooks as debugging_hooks
from wengert.distributed.algorithms.ddp_comm_hooks import default_hooks as default_hooks
from wengert.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD_hook
from wengert_distributed.comm_hooks import DDPCommHookType as DDPCommHookType
from wengert_distributed.comm_hooks import debugging_hooks as debugging
from wengert_distributed.comm_hooks import default_hooks as default
from wengert_distributed.comm_hooks import power_sgd as powerSGD
from wengert_distributed.comm_hooks import register_ddp_comm_hook as register_ddp_comm_hook

__all__ = [
    "DDPCommHookType", "debugging", "default", "powerSGD", "register_ddp_comm_hook"
]
