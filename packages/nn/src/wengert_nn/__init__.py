"""Modules, layers and losses for wengert, as in torch.nn: the names of ``wengert.nn``, loaded when they are asked for.

>>> import wengert as wg
>>> model = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.Tanh(), wg.nn.Linear(3, 1))
>>> sum(parameter.numel() for parameter in model.parameters())
13
"""

from __future__ import annotations

from typing import Any

from wengert_nn import modules
from wengert_nn.names import NAMES

PARAMETERS = ("Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter")
__version__ = "0.1.0"
__all__ = [*modules.__all__, *PARAMETERS]


def __getattr__(name: str) -> Any:
    if name in PARAMETERS:
        from wengert_nn import parameter

        value = getattr(parameter, name)
    elif name in NAMES:
        value = getattr(modules, name)
    else:
        raise AttributeError(f"module 'wengert.nn' has no attribute '{name}'", name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
