# Written by tools/generate/module_stubs.py.
from wengert_data.distributed import DistributedSampler as DistributedSampler

__all__ = [
    "DistributedSampler"
]
