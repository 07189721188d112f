# Written by tools/generate/module_stubs.py.
from wengert.distributed.optim import zero_redundancy_optimizer as zero_redundancy_optimizer
from wengert_distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

__all__ = [
    "ZeroRedundancyOptimizer"
]
