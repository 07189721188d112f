"""``wengert.scipy``: SciPy with derivatives, for programs that are written with ``wengert.numpy``, or with tensors.

``import autograd.scipy`` becomes ``import wengert.scipy``. What is not in the modules below is SciPy's own.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

_scipy = _import_module("scipy")
_OWN_MODULES = ("integrate", "linalg", "optimize", "signal", "special", "stats")
_OTHERS = tuple(
    name for name in _scipy.__all__ if name not in _OWN_MODULES and name not in ("test", "show_config", "__version__")
)
"""Names of SciPy that are modules, which SciPy loads when they are asked for."""

__version__ = _scipy.__version__
__changing__ = (*_OTHERS, "show_config", "test")
__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name in _OWN_MODULES:
        return _import_module(f"{__name__}.{name}")
    return getattr(_scipy, name)


def __dir__() -> list[str]:
    return sorted({*_OWN_MODULES, *_OTHERS, "show_config", "test"})
