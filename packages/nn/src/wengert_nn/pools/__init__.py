"""Pooling layers: maxima, means and norms of windows, fixed, adaptive or random."""

from wengert_nn.pools.adaptive import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    _AdaptiveAvgPoolNd,
    _AdaptiveMaxPoolNd,
)
from wengert_nn.pools.fractional import FractionalMaxPool2d, FractionalMaxPool3d
from wengert_nn.pools.maximum import (
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
    _MaxPoolNd,
    _MaxUnpoolNd,
)
from wengert_nn.pools.mean import (
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    _AvgPoolNd,
    _LPPoolNd,
)

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "_AdaptiveAvgPoolNd",
    "_AdaptiveMaxPoolNd",
    "_AvgPoolNd",
    "_LPPoolNd",
    "_MaxPoolNd",
    "_MaxUnpoolNd",
]
