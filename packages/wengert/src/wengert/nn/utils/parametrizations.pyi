# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.parametrizations import orthogonal as orthogonal
from wengert_nn.utils.parametrizations import spectral_norm as spectral_norm
from wengert_nn.utils.parametrizations import weight_norm as weight_norm

__all__ = [
    "orthogonal", "spectral_norm", "weight_norm"
]
