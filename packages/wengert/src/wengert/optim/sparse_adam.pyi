# Written by tools/generate/module_stubs.py.
from wengert_optim.sparse_adam import SparseAdam as SparseAdam
from wengert_optim.sparse_adam import sparse_adam as sparse_adam

__all__ = [
    "SparseAdam", "sparse_adam"
]
