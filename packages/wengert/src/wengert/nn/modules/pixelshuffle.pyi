# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from wengert_nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle

__all__ = [
    "PixelShuffle", "PixelUnshuffle"
]
