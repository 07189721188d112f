# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.spectral_norm import SpectralNorm as SpectralNorm
from wengert_nn.utils.spectral_norm import SpectralNormLoadStateDictPreHook as SpectralNormLoadStateDictPreHook
from wengert_nn.utils.spectral_norm import SpectralNormStateDictHook as SpectralNormStateDictHook
from wengert_nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from wengert_nn.utils.spectral_norm import spectral_norm as spectral_norm

__all__ = [
    "SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "remove_spectral_norm",
    "spectral_norm"
]
