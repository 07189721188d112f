# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.memory_format import convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format
from wengert_nn.utils.memory_format import convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format

__all__ = [
    "convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"
]
