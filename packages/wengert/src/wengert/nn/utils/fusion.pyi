# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from wengert_nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
from wengert_nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
from wengert_nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights

__all__ = [
    "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"
]
