"""Numbers that are the same on both sides: random streams differ, so data and weights come from formulas."""

from __future__ import annotations

from typing import Any

import torch


def numbers(*shape: int, seed: int = 0, dtype: Any = torch.float64) -> Any:
    """Return numbers between -1 and 1 that look random enough, of a shape and a seed."""
    count = 1
    for size in shape:
        count *= size
    places = torch.arange(1, count + 1, dtype=torch.float64) * 12.9898 + 78.233 * seed
    waves = torch.sin(places) * 43758.5453
    return ((waves - torch.floor(waves)) * 2 - 1).reshape(shape).to(dtype)


def fix_parameters(module: Any, scale: float = 1.0) -> Any:
    """Set the parameters of a module by their places, as small as usual first values are; return the module."""
    with torch.no_grad():
        for seed, parameter in enumerate(module.parameters()):
            width = parameter.shape[-1] if parameter.dim() else 1
            parameter.copy_(numbers(*parameter.shape, seed=seed) * (scale / width**0.5))
    return module


def gradients(module: Any) -> list[Any]:
    """Return the gradients of a module's parameters."""
    return [parameter.grad for parameter in module.parameters()]
