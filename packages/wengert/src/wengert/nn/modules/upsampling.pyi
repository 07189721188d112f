# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.upsampling import Upsample as Upsample
from wengert_nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from wengert_nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d

__all__ = [
    "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"
]
