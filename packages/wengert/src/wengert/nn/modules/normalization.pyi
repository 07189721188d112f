# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from wengert_nn.modules.normalization import GroupNorm as GroupNorm
from wengert_nn.modules.normalization import LayerNorm as LayerNorm
from wengert_nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from wengert_nn.modules.normalization import RMSNorm as RMSNorm

__all__ = [
    "CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"
]
