"""What core mounts into ``wengert`` itself, beside its ops."""

from types import ModuleType
from typing import Any

import wengert_core


def top() -> dict[str, Any]:
    """Core's public names: dtypes, Tensor, what is no op (the op table gives the rest)."""
    return {name: value for name, value in vars(wengert_core).items() if not name.startswith("_") and is_public(name, value)}


def is_public(name: str, value: Any) -> bool:
    """Not a submodule that merely happens to be imported."""
    return name == "memory" or not isinstance(value, ModuleType)
