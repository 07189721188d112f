# Written by tools/generate/module_stubs.py.
from wengert_distributed.parallel.data_parallel import DistributedDataParallel as DistributedDataParallel

__all__ = [
    "DistributedDataParallel"
]
