# Written by tools/generate/module_stubs.py.
from wengert.nn.parallel import distributed as distributed
from wengert_distributed.parallel.data_parallel import DistributedDataParallel as DistributedDataParallel
from wengert_nn.parallel import DataParallel as DataParallel

__all__ = [
    "DataParallel", "DistributedDataParallel"
]
