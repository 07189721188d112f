# Written by tools/generate/module_stubs.py.
from wengert_optim.nadam import NAdam as NAdam
from wengert_optim.nadam import nadam as nadam

__all__ = [
    "NAdam", "nadam"
]
