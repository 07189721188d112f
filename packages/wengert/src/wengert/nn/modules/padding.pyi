# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.padding import CircularPad1d as CircularPad1d
from wengert_nn.modules.padding import CircularPad2d as CircularPad2d
from wengert_nn.modules.padding import CircularPad3d as CircularPad3d
from wengert_nn.modules.padding import ConstantPad1d as ConstantPad1d
from wengert_nn.modules.padding import ConstantPad2d as ConstantPad2d
from wengert_nn.modules.padding import ConstantPad3d as ConstantPad3d
from wengert_nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from wengert_nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from wengert_nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from wengert_nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from wengert_nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from wengert_nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from wengert_nn.modules.padding import ZeroPad1d as ZeroPad1d
from wengert_nn.modules.padding import ZeroPad2d as ZeroPad2d
from wengert_nn.modules.padding import ZeroPad3d as ZeroPad3d

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d"
]
