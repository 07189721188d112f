"""Settings that are attributes of a module, set for the time of a block.

Note [Where a setting is]
    wengert makes the modules of its namespace and copies the names of ours into them. A program sets the attributes of
    ``wengert.backends.cudnn``, so that is where a setting is read and set; ``wengert_compat.backends.cudnn`` has the
    defaults.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType


def mounted_module(name: str) -> ModuleType:
    """Return the module of wengert which the names of one of ours were copied into; ours where wengert is not used."""
    return sys.modules.get(name.replace("wengert_compat", "wengert", 1)) or sys.modules[name]


@contextmanager
def hold(name: str, **values: object) -> Generator[None, None, None]:
    """Set attributes of a module for the time of a block. Each is a bool, or it is PyTorch's RuntimeError."""
    module = mounted_module(name)
    for key, value in values.items():
        if not isinstance(value, bool):
            library = name.rpartition(".")[2]
            raise RuntimeError(f"set_{key}_{library} expects a bool, but got {type(value).__name__}")
    before = {key: getattr(module, key) for key in values}
    vars(module).update(values)
    try:
        yield
    finally:
        vars(module).update(before)
