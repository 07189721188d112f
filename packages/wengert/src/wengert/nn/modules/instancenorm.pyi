# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from wengert_nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from wengert_nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from wengert_nn.modules.instancenorm import LazyInstanceNorm1d as LazyInstanceNorm1d
from wengert_nn.modules.instancenorm import LazyInstanceNorm2d as LazyInstanceNorm2d
from wengert_nn.modules.instancenorm import LazyInstanceNorm3d as LazyInstanceNorm3d
from wengert_nn.modules.instancenorm import _InstanceNorm as _InstanceNorm

__all__ = [
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d", "_InstanceNorm"
]
