"""Layers and containers, in modules that are called as those of ``torch.nn.modules``; loaded when a name is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from wengert_nn.names import NAMES

__all__ = [*NAMES]


def __getattr__(name: str) -> Any:
    module = NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'wengert.nn.modules' has no attribute '{name}'", name=name)
    value = globals()[name] = getattr(import_module(f"wengert_nn.{module}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})
