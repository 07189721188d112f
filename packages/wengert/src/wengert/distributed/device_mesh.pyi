# Written by tools/generate/module_stubs.py.
from wengert_distributed.groups.device_mesh import DeviceMesh as DeviceMesh
from wengert_distributed.groups.device_mesh import init_device_mesh as init_device_mesh

__all__ = [
    "DeviceMesh", "init_device_mesh"
]
