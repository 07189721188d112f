"""What core mounts into ``wengert`` itself, beside its ops."""

from typing import Any

import wengert_core


def top() -> dict[str, Any]:
    """Core's public names: dtypes, factories, Tensor and the functions that are no ops."""
    return {name: getattr(wengert_core, name) for name in vars(wengert_core)
            if not name.startswith("_") and name not in wengert_core.PRIVATE}
