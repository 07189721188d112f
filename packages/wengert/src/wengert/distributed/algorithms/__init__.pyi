# Written by tools/generate/module_stubs.py.
from wengert_distributed import comm_hooks as ddp_comm_hooks

__all__ = [
    "ddp_comm_hooks"
]
