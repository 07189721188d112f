# Written by tools/generate/module_stubs.py.
from wengert_distributions.kl import _KL_REGISTRY as _KL_REGISTRY
from wengert_distributions.kl.registry import kl_divergence as kl_divergence
from wengert_distributions.kl.registry import register_kl as register_kl

__all__ = [
    "_KL_REGISTRY", "kl_divergence", "register_kl"
]
