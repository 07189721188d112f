"""Utilities for modules and their parameters, as in ``torch.nn.utils``; loaded when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Not later, when the modules of these names would take the functions' places:
from wengert_nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from wengert_nn.utils.weight_norm import remove_weight_norm, weight_norm

NAMES = {
    name: module
    for module, names in {
        "clip_grad": "clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm",
        "convert_parameters": "parameters_to_vector vector_to_parameters",
        "fusion": "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights",
        "init": "skip_init",
        "memory_format": "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
    }.items()
    for name in names.split()
}
"""For each function of ``wengert.nn.utils`` that is loaded late the module in ``wengert_nn.utils`` that defines it."""
__all__ = [*NAMES, "remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]


def __getattr__(name: str) -> Any:
    module = NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'wengert.nn.utils' has no attribute '{name}'", name=name)
    value = globals()[name] = getattr(import_module(f"wengert_nn.utils.{module}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})
