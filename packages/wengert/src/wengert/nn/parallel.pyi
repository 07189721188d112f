# Written by tools/generate/module_stubs.py.
from wengert_nn.parallel import DataParallel as DataParallel

__all__ = [
    "DataParallel"
]
