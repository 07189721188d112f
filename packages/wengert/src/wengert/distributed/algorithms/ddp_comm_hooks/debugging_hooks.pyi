# Written by tools/generate/module_stubs.py.
from wengert_distributed.comm_hooks.debugging_hooks import noop_hook as noop_hook

__all__ = [
    "noop_hook"
]
