# Written by tools/generate/module_stubs.py.
from wengert_nn.pools.adaptive import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from wengert_nn.pools.adaptive import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from wengert_nn.pools.adaptive import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from wengert_nn.pools.adaptive import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from wengert_nn.pools.adaptive import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from wengert_nn.pools.adaptive import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from wengert_nn.pools.adaptive import _AdaptiveAvgPoolNd as _AdaptiveAvgPoolNd
from wengert_nn.pools.adaptive import _AdaptiveMaxPoolNd as _AdaptiveMaxPoolNd
from wengert_nn.pools.fractional import FractionalMaxPool2d as FractionalMaxPool2d
from wengert_nn.pools.fractional import FractionalMaxPool3d as FractionalMaxPool3d
from wengert_nn.pools.maximum import MaxPool1d as MaxPool1d
from wengert_nn.pools.maximum import MaxPool2d as MaxPool2d
from wengert_nn.pools.maximum import MaxPool3d as MaxPool3d
from wengert_nn.pools.maximum import MaxUnpool1d as MaxUnpool1d
from wengert_nn.pools.maximum import MaxUnpool2d as MaxUnpool2d
from wengert_nn.pools.maximum import MaxUnpool3d as MaxUnpool3d
from wengert_nn.pools.maximum import _MaxPoolNd as _MaxPoolNd
from wengert_nn.pools.maximum import _MaxUnpoolNd as _MaxUnpoolNd
from wengert_nn.pools.mean import AvgPool1d as AvgPool1d
from wengert_nn.pools.mean import AvgPool2d as AvgPool2d
from wengert_nn.pools.mean import AvgPool3d as AvgPool3d
from wengert_nn.pools.mean import LPPool1d as LPPool1d
from wengert_nn.pools.mean import LPPool2d as LPPool2d
from wengert_nn.pools.mean import LPPool3d as LPPool3d
from wengert_nn.pools.mean import _AvgPoolNd as _AvgPoolNd
from wengert_nn.pools.mean import _LPPoolNd as _LPPoolNd

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d", "_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_AvgPoolNd", "_LPPoolNd", "_MaxPoolNd",
    "_MaxUnpoolNd"
]
