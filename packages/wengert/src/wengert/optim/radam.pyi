# Written by tools/generate/module_stubs.py.
from wengert_optim.radam import RAdam as RAdam
from wengert_optim.radam import radam as radam

__all__ = [
    "RAdam", "radam"
]
