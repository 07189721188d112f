"""Tensor's methods and properties that are not ops: mounted on it by ``mount_all``."""

from __future__ import annotations

from wengert_core import interop as _interop
from wengert_core.tensor import mount

METHODS = {
    "__array__": _interop.array_interface,
    "__array_priority__": 1000,
    "__array_wrap__": _interop.array_wrap,
    "numpy": _interop.numpy,
    "tolist": _interop.tolist,
}


def mount_all() -> None:
    """Give Tensor its methods."""
    for name, value in METHODS.items():
        mount(name, value)
