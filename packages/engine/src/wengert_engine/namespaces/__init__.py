"""What the engine mounts into ``wengert``: one module for each place."""

from typing import Any

from wengert_engine import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from wengert_engine.attributes import detach, detach_


def top() -> dict[str, Any]:
    """The engine's names in ``wengert`` itself."""
    return {
        "detach": detach, "detach_": detach_, "enable_grad": enable_grad, "inference_mode": inference_mode,
        "is_grad_enabled": is_grad_enabled, "is_inference_mode_enabled": is_inference_mode_enabled, "no_grad": no_grad,
        "set_grad_enabled": set_grad_enabled,
    }
