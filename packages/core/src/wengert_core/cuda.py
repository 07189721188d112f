"""``wengert.cuda``: NVIDIA's GPUs, where wengert-cuda is installed and finds one.

>>> from wengert_core import cuda
>>> cuda.is_available()
False
"""

from __future__ import annotations

from typing import Any

from wengert_core.backends.accelerator import NAMES, functions

__all__ = list(NAMES)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'wengert.cuda' has no attribute '{name}'")


globals().update(functions("cuda"))
