# Written by tools/generate/module_stubs.py.
from wengert_distributed.nn import functional as functional
from wengert_distributed.nn.batch_norm import sync_batch_norm as sync_batch_norm

__all__ = [
    "functional", "sync_batch_norm"
]
