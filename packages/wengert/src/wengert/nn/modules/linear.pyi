# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.linear import Bilinear as Bilinear
from wengert_nn.modules.linear import Identity as Identity
from wengert_nn.modules.linear import LazyLinear as LazyLinear
from wengert_nn.modules.linear import Linear as Linear
from wengert_nn.modules.linear import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear

__all__ = [
    "Bilinear", "Identity", "LazyLinear", "Linear", "NonDynamicallyQuantizableLinear"
]
