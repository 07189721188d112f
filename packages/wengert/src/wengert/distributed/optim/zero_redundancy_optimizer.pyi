# Written by tools/generate/module_stubs.py.
from wengert_distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

__all__ = [
    "ZeroRedundancyOptimizer"
]
