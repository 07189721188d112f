# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from wengert_nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from wengert_nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from wengert_nn.modules.batchnorm import LazyBatchNorm1d as LazyBatchNorm1d
from wengert_nn.modules.batchnorm import LazyBatchNorm2d as LazyBatchNorm2d
from wengert_nn.modules.batchnorm import LazyBatchNorm3d as LazyBatchNorm3d
from wengert_nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from wengert_nn.modules.batchnorm import _BatchNorm as _BatchNorm
from wengert_nn.modules.batchnorm import _LazyNormBase as _LazyNormBase
from wengert_nn.modules.batchnorm import _NormBase as _NormBase

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d",
    "SyncBatchNorm", "_BatchNorm", "_LazyNormBase", "_NormBase"
]
