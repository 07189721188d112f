# Written by tools/generate/module_stubs.py.
from wengert_nn.convolutions.base import _ConvNd as _ConvNd
from wengert_nn.convolutions.forward import Conv1d as Conv1d
from wengert_nn.convolutions.forward import Conv2d as Conv2d
from wengert_nn.convolutions.forward import Conv3d as Conv3d
from wengert_nn.convolutions.lazy import LazyConv1d as LazyConv1d
from wengert_nn.convolutions.lazy import LazyConv2d as LazyConv2d
from wengert_nn.convolutions.lazy import LazyConv3d as LazyConv3d
from wengert_nn.convolutions.lazy import LazyConvTranspose1d as LazyConvTranspose1d
from wengert_nn.convolutions.lazy import LazyConvTranspose2d as LazyConvTranspose2d
from wengert_nn.convolutions.lazy import LazyConvTranspose3d as LazyConvTranspose3d
from wengert_nn.convolutions.lazy import _LazyConvXdMixin as _LazyConvXdMixin
from wengert_nn.convolutions.transposed import ConvTranspose1d as ConvTranspose1d
from wengert_nn.convolutions.transposed import ConvTranspose2d as ConvTranspose2d
from wengert_nn.convolutions.transposed import ConvTranspose3d as ConvTranspose3d
from wengert_nn.convolutions.transposed import _ConvTransposeNd as _ConvTransposeNd

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d",
    "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d", "_ConvNd",
    "_ConvTransposeNd", "_LazyConvXdMixin"
]
