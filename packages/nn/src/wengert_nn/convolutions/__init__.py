"""Convolution layers over one to three spatial dims, their transposes, and lazy ones."""

from wengert_nn.convolutions.base import _ConvNd
from wengert_nn.convolutions.forward import Conv1d, Conv2d, Conv3d
from wengert_nn.convolutions.lazy import (
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    _LazyConvXdMixin,
)
from wengert_nn.convolutions.transposed import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    _ConvTransposeNd,
)

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "_ConvNd",
    "_ConvTransposeNd",
    "_LazyConvXdMixin",
]
