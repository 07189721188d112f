# Written by tools/generate/module_stubs.py.
from wengert_distributed.nn import functional as functional

__all__ = [
    "functional"
]
