# Written by tools/generate/module_stubs.py.
from wengert_distributed.comm_hooks.power_sgd import PowerSGDState as PowerSGDState
from wengert_distributed.comm_hooks.power_sgd import batched_powerSGD_hook as batched_powerSGD_hook
from wengert_distributed.comm_hooks.power_sgd import powerSGD_hook as powerSGD_hook

__all__ = [
    "PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"
]
