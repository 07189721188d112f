# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.dropout import AlphaDropout as AlphaDropout
from wengert_nn.modules.dropout import Dropout as Dropout
from wengert_nn.modules.dropout import Dropout1d as Dropout1d
from wengert_nn.modules.dropout import Dropout2d as Dropout2d
from wengert_nn.modules.dropout import Dropout3d as Dropout3d
from wengert_nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from wengert_nn.modules.dropout import _DropoutNd as _DropoutNd

__all__ = [
    "AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "_DropoutNd"
]
